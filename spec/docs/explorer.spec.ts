import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { faultsOfExplorer } from '../../lib/explorer/explorer-options'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'explorer.md'), 'utf8')
const [, name = '', code = ''] = /```js\n\/\/ (\S+\.mjs)\n(.*?)```/s.exec(page) ?? []

/** A host as the page has it in mind: users are told by a session, which here is a header. */
const host = `
import { once } from 'node:events'
import express from 'express'
import { contentRouter } from 'express-content-router'
import { addExplorer } from './${name}'

const content = contentRouter({
  contentTypes: JSON.parse(process.env.TYPES),
  database: JSON.parse(process.env.CONFIG),
  permissions: { public: { find: ['genre'] }, editor: { find: '*' } },
  logger: false,
})
const app = express()
app.use((req, _res, next) => {
  const user = req.get('x-user')
  if (user) req.user = { isDeveloper: true, isOwner: user === 'owner' }
  next()
})
app.use('/api', content)
addExplorer(app, content)
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const ask = async (path, user, role = '') => {
  const url = 'http://127.0.0.1:' + server.address().port + '/explorer/' + path
  return (await fetch(url, { headers: { 'x-user': user, 'x-explorer-role': role } })).status
}
console.log(JSON.stringify({
  strangers: await ask('', ''),
  developers: [await ask('', 'developer'), await ask('ask/genres', 'developer'), await ask('ask/books', 'developer', 'editor')],
  owners: [await ask('ask/books', 'owner'), await ask('ask/books', 'owner', 'editor')],
}))
await content.close()
server.close()
server.closeAllConnections()
`

describe('docs/explorer.md', () => {
  it('names every option, and no other', () => {
    const named = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, option = '']) => option)
    const wrong = Object.fromEntries(named.map((option) => [option, 7])) as object
    const refused = faultsOfExplorer({} as never, wrong).map(({ where }) => where)
    expect(refused.sort()).toEqual(named.sort())
    expect(named.length).toBeGreaterThan(4)
  })

  onSqlite((database) => {
    const types = library as never
    const { world } = stocked(database, types, { genre: [{ name: 'Rain' }] })

    it('lets developers in, and owners try roles', async () => {
      mkdirSync(join(root, '.tmp'), { recursive: true })
      const folder = mkdtempSync(join(root, '.tmp', 'explorer-docs-'))
      try {
        writeFileSync(join(folder, name), code)
        writeFileSync(join(folder, 'host.mjs'), host)
        const env = { ...process.env, TYPES: JSON.stringify(types), CONFIG: JSON.stringify(world.config) }
        const { stdout } = await run(process.execPath, ['host.mjs'], { cwd: folder, env, timeout: 60_000 })
        expect(JSON.parse(stdout)).toEqual({
          strangers: 404,
          developers: [200, 200, 403],
          owners: [403, 200],
        })
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }, 90_000)
  })
})
