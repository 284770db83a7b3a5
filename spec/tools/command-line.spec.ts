import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../lib/command/run'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { recordingOf } from '../support/recordings'

const contentTypes = recordingOf('sqlite').contentTypes

interface Ran {
  readonly code: number
  readonly printed: string
  readonly complained: string
}

async function run(...words: readonly string[]): Promise<Ran> {
  const [printed, complained]: [string[], string[]] = [[], []]
  const code = await runCommand(words, {
    print: (text) => printed.push(text),
    complain: (text) => complained.push(text),
  })
  return { code, printed: printed.join('\n'), complained: complained.join('\n') }
}

const schemes = { mysql2: 'mysql', pg: 'postgres' } as const

describe('a project with a fault that Strapi tolerates', () => {
  const { path, write } = projectFolder({
    'src/api/note/content-types/note/schema.json': JSON.stringify(
      collection('note', {
        title: text,
        lost: relation('oneToMany', 'api::gone.gone', { mappedBy: 'note' }),
      }),
    ),
  })
  const database = { client: 'better-sqlite3', connection: { filename: join(path, 'data.db') } }
  const config = { contentTypes: join(path, 'src'), database }
  const flags = [
    ...['--content-types', config.contentTypes, '--client', database.client],
    ...['--connection', database.connection.filename],
  ]

  it('fails, and with --strapi5 is served without the attribute and with a warning', async () => {
    for (const command of ['migrate', 'check']) {
      const { code, complained } = await run(command, ...flags)
      expect([code, complained]).toEqual([1, expect.stringContaining('lost')])
      const again = await run(command, ...flags, '--strapi5')
      expect([again.code, again.complained]).toEqual([
        0,
        expect.stringMatching(/^warning: .* \(uid: api::note\.note, attribute: lost, problem: .*\)$/),
      ])
    }
  })

  it('is accepted with --strapi5 from a config, unless the config is strict', async () => {
    write({
      'plain.cjs': `module.exports = ${JSON.stringify(config)}`,
      'strict.cjs': `module.exports = ${JSON.stringify({ ...config, definitions: 'strict' })}`,
    })
    const check = (name: string): Promise<Ran> => run('check', '--config', join(path, name), '--strapi5')
    expect([(await check('plain.cjs')).code, (await check('strict.cjs')).code]).toEqual([0, 1])
  })
})

describe('the arguments of the command line', () => {
  it.each([
    [['start', 'nowhere'], 'there is no folder nowhere'],
    [['start', 'lib', 'spec'], 'one command at a time'],
    [['--port', 'http'], '--port http is no port'],
    [['--beside', 'localhost'], '--beside is the address of a Strapi'],
    [['start', '--out', 'a'], '--out goes with types'],
    [['migrate', '--port', '1'], '--port goes with start'],
    [['serve'], 'serve is neither a command nor a folder'],
    [['chek'], 'chek is neither a command nor a folder: did you mean check?'],
    [['start', 'package.json'], 'package.json is a file, and no folder'],
    [['migrate', 'check'], 'one command at a time'],
    [['migrate', '--fast'], 'there is no flag --fast'],
    [['--prt', '1'], 'there is no flag --prt: did you mean --port?'],
    [['-x'], 'there is no flag -x'],
    [['types', '--role', 'a', '--role=b'], '--role is given twice'],
    [['--port'], '--port needs a value'],
    [['--role='], '--role needs a value'],
    [['--role', '--port', '1'], '--role needs a value, and --port follows: write --role=--port if it is one'],
    [['migrate', '--dry-run=no'], '--dry-run takes no value'],
    [['check', '--dry-run'], '--dry-run goes with migrate'],
    [['check', '--strapi-database'], '--strapi-database goes with migrate'],
    [['migrate', '--role', 'member'], '--role goes with check'],
    [
      ['migrate', '--client', 'pg'],
      '--content-types and --connection belong together, and --client where no URL tells it',
    ],
    [
      ['check', '--content-types', 'types', '--connection', 'content.db'],
      '--content-types and --connection belong together, and --client where no URL tells it',
    ],
    [['migrate', '--config', 'a.js', '--client', 'pg'], 'exclude each other'],
    [['migrate', '--config', 'nowhere.js'], 'there is no nowhere.js'],
    [['migrate'], 'no --config given'],
  ])('%j fail with the usage', async (words, reason) => {
    const { code, complained } = await run(...words)
    expect(code).toBe(2)
    expect(complained).toContain(reason)
    expect(complained).toContain('Usage: content-router <command>')
    // It stays in sight in the smallest terminal, and none of it is Node's.
    expect(complained.split('\n').length).toBeLessThan(8)
    expect(complained).toContain('--help tells all')
    expect(complained).not.toMatch(/positional|Option '/)
  })

  it('print the usage with --help', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, complained: '' })
    expect((await run('migrate', '-h')).printed).toContain('--dry-run')
  })

  it.each(['--version', '-v'])('print the version with %s', async (word) => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
      version: string
    }
    expect(await run(word)).toEqual({ code: 0, complained: '', printed: version })
  })

  it.each(['pg', 'mysql2'] as const)(
    'fail without a stack and without the password, if no %s server answers',
    async (client) => {
      const url = `${schemes[client]}://root:hunter22@127.0.0.1:1/none`
      const { code, complained } = await run(
        'check',
        '--content-types',
        contentTypes,
        '--client',
        client,
        '--connection',
        url,
      )
      expect(code).toBe(1)
      expect(complained).toMatch(/^ECONNREFUSED|ECONNREFUSED/)
      expect(complained).not.toMatch(/hunter22|\n +at /)
    },
  )

  it('list the known clients, if the client is unknown', async () => {
    const { code, complained } = await run(
      'check',
      '--content-types',
      contentTypes,
      '--client',
      'oracle',
      '--connection',
      'x',
    )
    expect(code).toBe(1)
    expect(complained).toContain('use one of better-sqlite3, mysql2, pg')
  })
})

describe('a missing SQLite file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-router-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const flags = (): readonly string[] => [
    ...['--content-types', contentTypes, '--client', 'better-sqlite3'],
    ...['--connection', join(folder, 'mistyped.db')],
  ]

  it('is reported by check, and not created', async () => {
    const { code, complained } = await run('check', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([1, false])
    expect(complained).toContain('database.connection.filename: there is no such file')
  })

  it('is an empty database for migrate --dry-run, and not created', async () => {
    const { code, printed } = await run('migrate', '--dry-run', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([0, false])
    expect(printed).toContain('create table "articles"')
  })

  it('is created by migrate', async () => {
    expect((await run('migrate', ...flags())).code).toBe(0)
    expect(existsSync(join(folder, 'mistyped.db'))).toBe(true)
    expect((await run('check', ...flags())).code).toBe(0)
  })
})

describe('the built command with a config file', () => {
  const command = join(__dirname, '..', '..', 'dist', 'lib', 'command.js')
  let folder: string

  beforeAll(async () => {
    if (!existsSync(command)) throw new Error('run `npm run build` first: this is about what is built')
    folder = await mkdtemp(join(tmpdir(), 'content-router-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const spawned = (...words: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      execFile(process.execPath, [command, ...words], { cwd: folder }, (error, printed, complained) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, printed, complained })
      })
    })

  const body = (file: string): string =>
    JSON.stringify({
      contentTypes,
      database: { client: 'better-sqlite3', connection: { filename: join(folder, file) } },
    })

  it.each([
    ['content-router.config.cjs', (text: string) => `module.exports = ${text}`],
    ['content-router.config.mjs', (text: string) => `export default ${text}`],
  ])('reads %s from the working directory', async (name, write) => {
    await writeFile(join(folder, name), write(body(`${name}.db`)))
    expect(await spawned('migrate')).toMatchObject({ code: 0, complained: '' })
    expect(await spawned('check')).toMatchObject({ code: 0, complained: '' })
    await rm(join(folder, name))
  })

  it('accepts a config with a Knex instance, and exits', async () => {
    const knex = require.resolve('knex')
    const connection = `require(${JSON.stringify(knex)})({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: 'own.db' } })`
    await writeFile(
      join(folder, 'own.cjs'),
      `exports.contentTypes = ${JSON.stringify(contentTypes)}; exports.database = ${connection}`,
    )
    expect(await spawned('migrate', '--config', 'own.cjs')).toMatchObject({ code: 0, complained: '' })
  })

  it('fails if a config is empty or cannot be loaded', async () => {
    await writeFile(join(folder, 'empty.cjs'), 'module.exports = {}')
    await writeFile(join(folder, 'broken.cjs'), 'throw new Error("not today")')
    expect(await spawned('check', '--config', 'empty.cjs')).toMatchObject({ code: 2 })
    const { code, complained } = await spawned('check', '--config', 'broken.cjs')
    expect([code, complained.includes('broken.cjs cannot be loaded: not today')]).toEqual([2, true])
  })
})
