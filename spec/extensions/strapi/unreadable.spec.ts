import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, contentRouter, strapi5, strapiProject } from '../../../lib'
import { readProjectCode } from '../../../lib/project'
import { readSchema } from '../../../lib/schema'
import { projectFolder } from '../../support/project-folder'
import { type } from '../../meaning/definitions'

const { path, write } = projectFolder({
  'config/api.js': 'module.exports = { rest: { maxLimit: 9 } }',
  'src/api/note/content-types/note/schema.json': JSON.stringify(type('note', {})),
  'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note')`,
  'src/extensions/upload/strapi-server.js': 'module.exports = (plugin) => plugin',
})
const database = { client: 'pg', connection: {} } as const
const src = join(path, 'src')

/** Root may look into everything. */
function asAnybody<T>(look: () => T): T {
  if (process.getuid?.() !== 0) return look()
  process.seteuid?.(65534)
  try {
    return look()
  } finally {
    process.seteuid?.(0)
  }
}

function refused(place: string, look: () => unknown): string {
  chmodSync(join(path, place), 0)
  try {
    asAnybody(look)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  } finally {
    chmodSync(join(path, place), 0o755)
  }
  return ''
}

const fault = (place: string): string =>
  `1 fault in the configuration of the content router\n  ${place}: may not be read (give the process the right to read it)`

beforeAll(() => {
  chmodSync(path, 0o755)
  // What parses the code is loaded at its first use, and may lie where only root may look.
  write({ 'src/api/note/services/note.js': '' })
  readProjectCode(readSchema(src))
  strapiProject(path, { database })
})

describe('a folder of a project that may not be read', () => {
  it.each(['src/api', 'src/api/note/content-types/note', 'src/api/note/routes', 'src/extensions/upload'])(
    'is a fault that names no folder above the project: %s',
    (place) => {
      const make = (): unknown => contentRouter({ ...strapi5, contentTypes: src, database })
      expect(refused(place, make)).toBe(fault(place))
    },
  )

  it('is one as well where only its code is read by then', () => {
    const schema = readSchema(src)
    expect(refused('src/api/note/routes', () => readProjectCode(schema))).toBe(fault('src/api/note/routes'))
    expect(refused('src/extensions', () => readProjectCode(schema))).toBe(fault('src/extensions'))
  })

  it('is one where it holds the configuration', () => {
    expect(refused('config', () => strapiProject(path, { database }))).toMatch(
      /^1 fault in .*\n {2}config\/.*: may not be read/,
    )
  })
})
