import { sign } from 'jsonwebtoken'
import Database from 'better-sqlite3'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { readOnlyDatabase } from '../../tools/start/read-only-database'
import { onSqlite, testDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { projectFolder } from '../support/project-folder'
import { jwtSecret } from '../support/recorded-site'
import { freePort } from '../support/servers/private-server'
import { type Ended, ended, started, type Started, startedProcess } from '../support/started'
import { addDatabase, addTypes, dotEnvFor, projectsIn, standOf, strapiFiles } from '../support/strapi-folder'

const neverThere = 'DATABASE_CLIENT=postgres\nDATABASE_HOST=127.0.0.1\nDATABASE_PASSWORD=se$cret\n'

describe('content-router start without a usable project', () => {
  const { path, write } = projectFolder()
  const project = projectsIn(path)

  const saidIn = async (cwd: string, ...words: readonly string[]): Promise<Ended> => {
    const before = standOf(cwd)
    const end = await ended(words, { cwd })
    // Neither a stack nor a trace of having been there.
    expect(end.said).not.toMatch(/^ {4}at /m)
    expect(standOf(cwd)).toEqual(before)
    return end
  }

  it('names the missing database file, and how it is made', async () => {
    const { code, said } = await saidIn(project('no-file', { '.env': 'DATABASE_FILENAME=.tmp/mine.db' }))
    expect(code).toBe(1)
    expect(said).toMatch(/There is no database file .*mine\.db\.\nStart Strapi once/)
    expect(said).toContain('set the path of another file: --connection path/to/data.db')
  })

  it('names the folder if the file name is empty', async () => {
    const { code, said } = await saidIn(project('no-name', { '.env': 'DATABASE_FILENAME=\n' }))
    expect(code).toBe(1)
    expect(said).toContain('is a folder. Name the file of the database')
  })

  it('says that Strapi makes the tables of an empty database', async () => {
    const folder = project('tableless', { '.env': 'DATABASE_FILENAME=.tmp/data.db' })
    mkdirSync(join(folder, '.tmp'))
    writeFileSync(join(folder, '.tmp', 'data.db'), '')
    const { code, said } = await saidIn(folder)
    expect(code).toBe(1)
    expect(said).toContain('the database has no tables')
    expect(said).toContain('start Strapi once with npm run develop, so that Strapi creates the tables')
    expect(said).not.toContain('migrate')
  })

  it('reports a port that is no number', async () => {
    const { code, said } = await saidIn(project('portless', { '.env': `${neverThere}DATABASE_PORT=abc` }))
    expect(code).toBe(1)
    expect(said).toContain('connection.connection.port must be a number')
  })

  it('reports that no server listens, without the password', async () => {
    const port = await freePort()
    const { code, said } = await saidIn(
      project('away', { '.env': `${neverThere}DATABASE_PORT=${String(port)}` }),
    )
    expect(code).toBe(1)
    expect(said).toContain(`PostgreSQL, database strapi at 127.0.0.1:${String(port)}`)
    expect(said).toContain('no database server is listening at the configured address.\nStart the database')
    expect(said).not.toContain('se$cret')
  })

  it('says how to replace the host name of a container', async () => {
    const { said } = await saidIn(
      project('contained', { '.env': 'DATABASE_CLIENT=mysql\nDATABASE_HOST=db.invalid' }),
    )
    expect(said).toContain('put DATABASE_HOST=localhost before the command')
  })

  const noFile = { 'config/database.js': null }
  it.each([
    [
      'there is no such file',
      noFile,
      'config: the folder config needs database.js or database.json, or database.ts with a tsconfig.json',
    ],
    [
      'it is not JavaScript',
      { 'config/database.js': 'const a = 1\nmodule.exports = {{{' },
      'config/database.js: the file has a syntax error, line 2',
    ],
    [
      'the file of NODE_ENV fails',
      { 'config/env/development/database.js': 'x()' },
      'config/env/development/database.js: x is not defined, line 1',
    ],
    [
      'Strapi does not know the client',
      { '.env': 'DATABASE_CLIENT=oracle' },
      'config/database.js: connection.client is oracle, but must be mysql, postgres or sqlite',
    ],
  ])('reports the fault where %s', async (what, files, sentence) => {
    const { code, said } = await saidIn(project(`matter-${what.replace(/\W+/g, '-')}`, files))
    expect([code, said]).toEqual([1, expect.stringContaining(`  ${sentence}`)])
    expect(said).toContain('Fix the config, or set the database:\n  --connection postgres://')
  })

  it('prints the fault as docs/start/strapi.md shows', async () => {
    const page = readFileSync(join(__dirname, '..', '..', 'docs', 'start', 'strapi.md'), 'utf8')
    const [, shown = 'nothing'] = /### If it does not start\n.*?```text\n(.*?)```/s.exec(page) ?? []
    const files = {
      ...noFile,
      'tsconfig.json': '{}',
      'config/database.ts': `${'\n'.repeat(11)}export default {{`,
    }
    expect((await saidIn(project('as-shown', files))).said).toBe(shown)
  })

  it('reports a file that is no SQLite database', async () => {
    const folder = project('other-files')
    mkdirSync(join(folder, '.tmp'))
    writeFileSync(join(folder, '.tmp', 'data.db'), 'no database, but words')
    const asFolder = await saidIn(folder, '--connection', '.tmp')
    expect([asFolder.code, asFolder.said]).toEqual([
      1,
      expect.stringMatching(
        /\.tmp is a folder\. Name the file of the database: --connection .*\.tmp\/data\.db/,
      ),
    ])
    const asText = await saidIn(folder, '--connection', '.tmp/data.db')
    expect([asText.code, asText.said]).toEqual([
      1,
      expect.stringMatching(/data\.db is not a SQLite database, or the file is encrypted\.\nSet the file/),
    ])
    expect(asText.said + asFolder.said).not.toMatch(/Start the database|EISDIR|NOTADB/)
  })

  it('reports missing content types without src/api', async () => {
    const folder = join(path, 'fresh')
    write({ 'fresh/package.json': strapiFiles['package.json'] ?? '', 'fresh/src/index.js': '' })
    const { code, said } = await saidIn(folder)
    expect([code, said]).toEqual([1, expect.stringContaining('The folder src/api contains no content types')])
  })

  it.each([
    ['@strapi/strapi', '4.25.1', '4.25.1'],
    ['@strapi/strapi', '^4.13.5', '4.13.5'],
  ])('rejects a project with %s %s', async (name, asked, version) => {
    const told = JSON.stringify({ name: 'old', dependencies: { [name]: asked } })
    const { code, said } = await saidIn(project(`old-${version}`, { 'package.json': told }))
    expect(code).toBe(1)
    expect(said).toContain(`a project of Strapi ${version}, and the router reads Strapi 5`)
    expect(said).toContain('npx @strapi/upgrade major')
  })

  it('reports missing content types in an empty src/api', async () => {
    const folder = join(path, 'empty')
    write({ 'empty/package.json': strapiFiles['package.json'] ?? '', 'empty/src/api/.gitkeep': '' })
    cpSync(join(project('full'), 'config'), join(folder, 'config'), { recursive: true })
    mkdirSync(join(folder, '.tmp'))
    writeFileSync(join(folder, '.tmp', 'data.db'), '')
    const { code, said } = await saidIn(folder)
    expect([code, said]).toEqual([1, expect.stringContaining('The folder src/api contains no content types')])
  })

  it('reports a folder that holds no project', async () => {
    mkdirSync(join(path, 'bare'))
    const { code, said } = await saidIn(path, 'start', 'bare')
    expect([code, said]).toEqual([1, expect.stringContaining('contains neither a Strapi project nor')])
  })

  it('requires --role if other machines can connect', async () => {
    const { code, said } = await saidIn(path, '--host', '0.0.0.0')
    expect([code, said]).toEqual([1, expect.stringContaining('--role public')])
  })

  describe('with a database', () => {
    const world = testDatabase('sqlite').restored()
    let folder: string
    beforeAll(() => {
      folder = project('whole', { '.env': dotEnvFor(world.config) })
      addDatabase(folder, world.config)
    })

    it('reports a port that is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      try {
        const { port } = other.address() as AddressInfo
        const { code, said } = await saidIn(folder, '--port', String(port))
        expect([code, said]).toEqual([
          1,
          expect.stringContaining(`Port ${String(port)} is in use. Choose another port with --port`),
        ])
      } finally {
        other.close()
      }
    })

    it('reports an address of another machine', async () => {
      const { code, said } = await saidIn(folder, '--host', '192.0.2.7', '--role', 'public')
      expect([code, said]).toEqual([1, expect.stringContaining('This machine has no address 192.0.2.7')])
    })

    it('lists the roles if --role names another', async () => {
      const { code, said } = await saidIn(folder, '--role', 'nobody')
      expect(code).toBe(1)
      expect(said).toMatch(/There is no role nobody: the roles are \w+, \w+/)
      expect(said).not.toContain('all rights')
    })

    it('says where roles come from if there are none', async () => {
      const fresh = project('roleless', { '.env': 'DATABASE_FILENAME=.tmp/data.db' })
      mkdirSync(join(fresh, '.tmp'))
      writeFileSync(join(fresh, '.tmp', 'data.db'), '')
      const { code, said } = await saidIn(fresh, '--role', 'public')
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(/There is no role public: the database has no roles\./),
      ])
      expect(said).not.toContain('all rights')
    })

    it('reports a locked file', async () => {
      const file = join(folder, '.tmp', 'data.db')
      const other = new Database(file)
      try {
        other.exec('pragma locking_mode = exclusive; begin exclusive')
        const { code, said } = await ended([], { cwd: folder })
        expect([code, said]).toEqual([
          1,
          expect.stringContaining('Another process has locked the database file'),
        ])
        expect(said).not.toMatch(/Start the database|cannot be reached/)
      } finally {
        other.close()
      }
    })

    it('reports missing tables, and serves the others', async () => {
      const schema = { kind: 'collectionType', info: { singularName: 'late', pluralName: 'lates' } }
      const text = JSON.stringify({
        ...schema,
        collectionName: 'lates',
        attributes: { name: { type: 'string' } },
      })
      const late = 'whole/src/api/late/content-types/late/schema.json'
      write({ [late]: text })
      const site = await started([], { cwd: folder })
      try {
        const said = /Requests for missing parts fail with status 500:\n {2}lates: the table is missing/
        expect(site.said()).toMatch(said)
        expect((await fetch(`${site.at}/api/lates`)).status).toBe(500)
        expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
      } finally {
        await site.stop()
      }
    })
  })
})

interface Listed {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: { readonly pagination: Readonly<Record<string, number>>; readonly explain?: object }
}

/** A request whose `Host` is what it is told, as fetch does not allow. */
const statusFor = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    ask(url, { headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

/** Its words alone: SQLite's errors may be of the class that another file of specs has made known. */
const refusalOf = (writing: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(writing).then(
    () => 'taken',
    (error: unknown) => (error as Error).message,
  )

onSqlite((database) => {
  describe('content-router start in a Strapi project', () => {
    const world = database.restored()
    const { path, write } = projectFolder(strapiFiles)
    let site: Started
    let before: Readonly<Record<string, string>>

    beforeAll(async () => {
      addTypes(path)
      write({ '.env': dotEnvFor(world.config) })
      addDatabase(path, world.config)
      before = standOf(path)
      site = await started([], { cwd: path })
    }, 60_000)
    afterAll(() => site.stop())

    const get = (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(site.at + address, { headers, redirect: 'manual' })
    const list = async (address: string, headers?: Readonly<Record<string, string>>): Promise<Listed> =>
      (await (await get(address, headers)).json()) as Listed

    it('reports a Strapi that does not answer, and serves all the same', async () => {
      const beside = 'http://127.0.0.1:1'
      const alone = await started(['--beside', beside], { cwd: path })
      // What it complains of comes by another way than what it prints, perhaps later.
      const silence = `${beside} does not respond. Is Strapi running?`
      for (let tries = 0; tries < 100 && !alone.said().includes(silence); tries += 1) await setTimeout(50)
      expect((await fetch(`${alone.at}/explorer/`)).status).toBe(200)
      expect((await alone.stop()).said).toContain(silence)
    })

    it('prints what it found and where', () => {
      const said = site.said()
      expect(said).toContain('Strapi 5.47.1 project my-strapi')
      expect(said).toMatch(/^ {2}9 types, \d+ rows \(drafts and locales counted separately\)$/m)
      expect(said).toMatch(/SQLite, \.tmp\/data\.db \(\d+(\.\d)? MB\)/)
    })

    it('prints it as docs/start/strapi.md shows', () => {
      const page = readFileSync(join(__dirname, '..', '..', 'docs', 'start', 'strapi.md'), 'utf8')
      const [, shown] = /```text\n(.*?)```/s.exec(page) ?? []
      const withoutPort = (text = ''): string => text.replace(/:\d{4,5}\//g, ':…/').trim()
      expect(withoutPort(site.said())).toBe(withoutPort(shown))
    })

    it('responds with the preset and the page size of the project', async () => {
      const { data, meta } = await list('/api/articles?populate=author')
      const published = await world
        .knex('articles')
        .whereNotNull('published_at')
        .where('locale', 'en')
        .select('id')
      expect(meta.pagination).toMatchObject({ pageSize: 3, total: published.length })
      expect(data).toHaveLength(3)
      expect(data[0]).toHaveProperty('author')
    })

    it('shows types that the public role may not read', async () => {
      const { data } = await list('/api/tags?pagination[pageSize]=1')
      const name = String(data[0]?.['name'])
      expect(await world.knex('tags').where({ name }).select('id')).not.toEqual([])
    })

    it('accepts tokens of the project, and rejects others', async () => {
      // The recorded database knows an editor, who may read authors, and one who may not.
      const bearer = (id: number, secret = jwtSecret): Record<string, string> => ({
        Authorization: `Bearer ${sign({ id }, secret, { expiresIn: '1h' })}`,
      })
      const askers = [{}, bearer(1), bearer(2), bearer(1, 'other')]
      const answers = await Promise.all(askers.map((headers) => get('/api/authors', headers)))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 403, 401])
    })

    it('explains responses on request', async () => {
      expect((await list('/api/tags')).meta).not.toHaveProperty('explain')
      expect((await list('/api/tags', { 'X-Explain': 'yes' })).meta.explain).toBeDefined()
      expect((await get('/api/tags')).headers.get('server-timing')).toContain('load')
    })

    it('redirects to the explorer', async () => {
      const page = await get('/')
      expect([page.status, page.headers.get('location')]).toEqual([302, '/explorer/'])
      const explorer = await get('/explorer/')
      expect([explorer.status, explorer.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      expect((await get('/nowhere')).status).toBe(404)
    })

    it('serves uploads, in which scripts cannot run', async () => {
      const file = await get('/uploads/note.txt')
      expect([file.status, await file.text()]).toEqual([200, 'kept by Strapi'])
      const page = await get('/uploads/page.html')
      expect(page.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
      expect((await get('/uploads/..%2f..%2fpackage.json')).status).toBe(404)
    })

    it('rejects requests of other origins', async () => {
      const url = `${site.at}/api/tags`
      expect(await statusFor(url, 'evil.example')).toBe(421)
      expect(await statusFor(url, 'localhost.evil.example:80')).toBe(421)
      expect(await statusFor(url, `localhost:${new URL(site.at).port}`)).toBe(200)
      const { headers } = await get('/api/tags')
      expect(headers.get('access-control-allow-origin')).toBeNull()
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    })

    it('reports types with code of their own, and serves them', async () => {
      const folder = 'src/api/tag/routes'
      write({ [`${folder}/tag.js`]: 'module.exports = { routes: [] }' })
      const other = await started([], { cwd: path })
      try {
        expect(other.said()).toContain('the project runs custom code to read')
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(200)
      } finally {
        await other.stop()
        rmSync(join(path, folder), { recursive: true })
        before = standOf(path)
      }
    }, 30_000)

    it('writes nothing', async () => {
      await list('/api/articles?populate=*')
      expect(standOf(path)).toEqual(before)
      expect((await fetch(`${site.at}/api/tags`, { method: 'POST' })).status).toBe(405)
    })

    it('limits other machines to the named role', async () => {
      const other = await started(['--host', '0.0.0.0', '--role', 'public'], { cwd: path })
      try {
        const answer = await fetch(`${other.at}/api/articles`, { headers: { 'X-Explain': 'yes' } })
        expect(((await answer.json()) as Listed).meta).toEqual({ pagination: expect.any(Object) as object })
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(403)
      } finally {
        await other.stop()
      }
    }, 30_000)

    it('limits responses to the named role', async () => {
      const other = await started(['start', '--role', 'public'], { cwd: path })
      try {
        expect((await fetch(`${other.at}/api/tags`)).status).toBe(403)
        expect((await fetch(`${other.at}/api/articles`)).status).toBe(200)
      } finally {
        await other.stop()
      }
    }, 30_000)

    it('stops, and leaves everything as it was', async () => {
      expect((await site.stop()).code).toBe(0)
      expect(standOf(path)).toEqual(before)
    })
  })

  describe('the built command in a Strapi project', () => {
    const world = database.restored()
    const { path, write } = projectFolder(strapiFiles)

    it('serves until Ctrl-C, and leaves everything as it was', async () => {
      addTypes(path)
      write({ '.env': dotEnvFor(world.config) })
      addDatabase(path, world.config)
      const before = standOf(path)
      const site = await startedProcess([], { cwd: path })
      expect((await fetch(`${site.at}/api/tags`)).status).toBe(200)
      expect((await site.stop()).code).toBe(0)
      expect(standOf(path)).toEqual(before)
    }, 30_000)
  })

  describe('a database that is opened read-only', () => {
    const world = database.restored()

    it('rejects writes', async () => {
      const knex = readOnlyDatabase(world.config, __dirname)
      try {
        const count = async (): Promise<unknown> => knex('tags').count('* as rows')
        const before = await count()
        expect(await refusalOf(knex('tags').insert({ name: 'new' }))).toMatch(/read[- ]?only/i)
        expect(await refusalOf(knex.schema.dropTable('tags'))).toMatch(/read[- ]?only/i)
        expect(await count()).toEqual(before)
      } finally {
        await knex.destroy()
      }
    })
  })
})

const bodyOf = async (address: string): Promise<{ data: Record<string, unknown>[] }> =>
  (await (await fetch(address)).json()) as { data: Record<string, unknown>[] }

describe('content-router start in an empty folder', () => {
  const { path } = projectFolder()
  let site: Started
  beforeAll(async () => {
    site = await started([], { cwd: path })
  }, 30_000)
  afterAll(() => site.stop())

  it('serves the sample, with pictures and content for editors', async () => {
    expect(site.said()).toContain('The sample is starting')
    const { data } = await bodyOf(`${site.at}/api/articles?populate=cover&filters[cover][id][$notNull]=true`)
    const [article] = data
    const { url } = article?.['cover'] as { readonly url: string }
    const picture = await fetch(site.at + url)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ])
    expect((await bodyOf(`${site.at}/api/letters`)).data.length).toBeGreaterThan(0)
  })

  it('leaves the folder empty', () => {
    expect(readdirSync(path)).toEqual([])
  })
})

onSqlite((database) => {
  describe('content-router start in a folder with a config', () => {
    const world = database.fresh()
    const note = collection('note', { title: text, tags: relation('manyToMany', 'api::tag.tag') })
    const tag = collection('tag', { name: text })
    const { path, write } = projectFolder({
      'content-types/note.json': JSON.stringify(note),
      'content-types/tag.json': JSON.stringify(tag),
    })
    const configFor = (permissions: object, more = ''): string =>
      `module.exports = ${JSON.stringify({ contentTypes: './content-types', database: world.config, permissions }).slice(0, -1)}${more}}`

    beforeAll(async () => {
      const config = { contentTypes: join(path, 'content-types'), database: world.config }
      await migrate(config)
      await seed(config, { tag: [{ $ref: 'one', name: 'One' }], note: [{ title: 'First', tags: ['one'] }] })
      write({ 'content-router.config.cjs': configFor({ member: { find: ['note'] } }) })
    })

    const serving = async <T>(words: readonly string[], use: (site: Started) => Promise<T>): Promise<T> => {
      const site = await started(words, { cwd: join(path, '..') })
      try {
        return await use(site)
      } finally {
        await site.stop()
      }
    }

    it('reads paths from that folder, and writes nothing there', async () => {
      const before = standOf(path)
      const { data } = await serving([path], ({ at }) => bodyOf(`${at}/api/notes?populate=tags`))
      expect(data).toMatchObject([{ title: 'First', tags: [{ name: 'One' }] }])
      expect(standOf(path)).toEqual(before)
    })

    it('limits responses to a role of the config', async () => {
      const statuses = await serving(['start', path, '--role', 'member'], ({ at }) =>
        Promise.all(['notes', 'tags'].map(async (name) => (await fetch(`${at}/api/${name}`)).status)),
      )
      expect(statuses).toEqual([200, 403])
    })

    it('takes another config, relative to the working directory', async () => {
      write({ 'other.cjs': configFor({}, ', role: () => null, permissions: () => false') })
      const { data } = await serving(['--config', join(path, 'other.cjs'), path], ({ at }) =>
        bodyOf(`${at}/api/notes`),
      )
      expect(data).toMatchObject([{ title: 'First' }])
    })

    it('ignores the config if flags name everything', async () => {
      const { filename } = world.config.connection as { readonly filename: string }
      const flags = ['--client', 'better-sqlite3', '--connection', filename]
      const { data } = await serving(
        ['start', '--content-types', join(path, 'content-types'), ...flags],
        ({ at }) => bodyOf(`${at}/api/tags`),
      )
      expect(data).toMatchObject([{ name: 'One' }])
    })
  })
})

describe('content-router start on a SQLite file with a write-ahead log', () => {
  const world = testDatabase('sqlite').restored()
  const { path } = projectFolder({ ...strapiFiles, '.env': 'DATABASE_FILENAME=.tmp/data.db' })
  const file = join(path, '.tmp', 'data.db')
  const tagged = async (at: string): Promise<readonly unknown[]> => {
    const answer = await fetch(`${at}/api/tags?filters[name][$eq]=Late`)
    return ((await answer.json()) as { data: readonly unknown[] }).data
  }

  beforeAll(() => {
    addTypes(path)
    addDatabase(path, world.config)
    const opened = new Database(file)
    opened.pragma('journal_mode = wal')
    opened.close()
  })

  it('reads the file if no process has it open', async () => {
    const site = await started([], { cwd: path })
    expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
    await site.stop()
  })

  it('reads the file itself while a process has it open, and sees its commits', async () => {
    const other = new Database(file)
    other.prepare('select count(*) from tags').get()
    const names = readdirSync(join(path, '.tmp')).sort()
    const site = await started([], { cwd: path })
    try {
      expect(names).toEqual(['data.db', 'data.db-shm', 'data.db-wal'])
      expect(await tagged(site.at)).toEqual([])
      const row = other.prepare('select id from tags where published_at is not null limit 1').get() as {
        id: number
      }
      other.prepare("update tags set name = 'Late' where id = ?").run(row.id)
      expect(await tagged(site.at)).toHaveLength(1)
    } finally {
      await site.stop()
      expect(readdirSync(join(path, '.tmp')).sort()).toEqual(names)
      other.close()
    }
  })
})
