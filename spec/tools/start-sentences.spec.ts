import Database from 'better-sqlite3'
import { once } from 'node:events'
import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describeOn, testDatabase } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { freePort } from '../support/servers/private-server'
import { type Ended, ended, started } from '../support/started'
import { addTypes, dotEnvFor, standOf, strapiFiles } from '../support/strapi-folder'

/** A project of its own in a folder of its own, whose name is its description. */
function projectsIn(path: string): (name: string, files?: Readonly<Record<string, string | null>>) => string {
  return (name, files = {}) => {
    const folder = join(path, name)
    const all: Readonly<Record<string, string | null>> = { ...strapiFiles, ...files }
    for (const [file, text] of Object.entries(all)) {
      if (text === null) continue
      mkdirSync(join(folder, file, '..'), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    addTypes(folder)
    return folder
  }
}

const neverThere = 'DATABASE_CLIENT=postgres\nDATABASE_HOST=127.0.0.1\nDATABASE_PASSWORD=se$cret\n'

describe('what express-content-router says where it cannot start', () => {
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

  it('names the file of a database that is not there, and how it comes about', async () => {
    const { code, said } = await saidIn(project('no-file', { '.env': 'DATABASE_FILENAME=.tmp/mine.db' }))
    expect(code).toBe(1)
    expect(said).toMatch(/There is no database file .*mine\.db\.\nStart Strapi once/)
    expect(said).toContain('--client better-sqlite3 --connection path/to/data.db')
  })

  it('says that a file has an empty name, which Strapi takes as well', async () => {
    const { code, said } = await saidIn(project('no-name', { '.env': 'DATABASE_FILENAME=\n' }))
    expect(code).toBe(1)
    expect(said).toContain('warning: .env: DATABASE_FILENAME is empty')
    expect(said).toContain('is a folder. Name the file of the database')
  })

  it('does not tell of an empty name of a file where the database has none', async () => {
    const port = await freePort()
    const env = `${neverThere}DATABASE_PORT=${String(port)}\nDATABASE_FILENAME=\n`
    const { said } = await saidIn(project('server', { '.env': env }))
    expect(said).toContain('nothing listens where it should be')
    expect(said).not.toContain('DATABASE_FILENAME')
  })

  it('says that .env cannot be read, as Strapi does not', async () => {
    const folder = project('closed', { '.env': null })
    mkdirSync(join(folder, '.env'))
    const { code, said } = await saidIn(folder)
    expect(code).toBe(1)
    expect(said).toContain(
      'warning: .env: cannot be read (EISDIR), and counts for nothing (let this user read it)',
    )
  })

  it('says who makes the tables of a database that is empty', async () => {
    const folder = project('tableless', { '.env': 'DATABASE_FILENAME=.tmp/data.db' })
    mkdirSync(join(folder, '.tmp'))
    writeFileSync(join(folder, '.tmp', 'data.db'), '')
    const { code, said } = await saidIn(folder)
    expect(code).toBe(1)
    expect(said).toContain('it has no tables at all')
    expect(said).toContain('start Strapi once (npm run develop), which makes them')
    expect(said).not.toContain('migrate')
  })

  it('says that a port is no number', async () => {
    const { code, said } = await saidIn(project('portless', { '.env': `${neverThere}DATABASE_PORT=abc` }))
    expect(code).toBe(1)
    expect(said).toContain('connection.connection.port is no number (look at DATABASE_PORT)')
  })

  it('says that nothing listens, and no password', async () => {
    const port = await freePort()
    const { code, said } = await saidIn(
      project('away', { '.env': `${neverThere}DATABASE_PORT=${String(port)}` }),
    )
    expect(code).toBe(1)
    expect(said).toContain(`PostgreSQL, database strapi at 127.0.0.1:${String(port)}`)
    expect(said).toContain('nothing listens where it should be.\nStart the database')
    expect(said).not.toContain('se$cret')
  })

  it('says how the name of a container is replaced', async () => {
    const { said } = await saidIn(
      project('contained', { '.env': 'DATABASE_CLIENT=mysql\nDATABASE_HOST=db.invalid' }),
    )
    expect(said).toContain('DATABASE_HOST=localhost before the command wins over .env')
  })

  it('says which part of config/database only running it would tell, and what to write', async () => {
    const made = `import { connect } from '../src/connect'\nexport default () => ({ connection: connect() })`
    const files = { 'config/database.js': null, 'config/database.ts': made, 'tsconfig.json': '{}' }
    const { code, said } = await saidIn(project('untold', files))
    expect(code).toBe(1)
    expect(said).toContain('config/database.ts: connection is told by running it alone, and nothing of a')
    expect(said).toContain(
      'Say where the database is:\n  --connection postgres://user:password@host/database',
    )
  })

  const noFile = { 'config/database.js': null }
  const typed = 'export default ({ env }) => ({ connection: { client: env("DATABASE_CLIENT") } })'
  it.each([
    [
      'there is no folder config',
      { ...noFile, 'config/api.js': null, 'config/plugins.js': null, 'config/server.js': null },
      'config: there is no such folder in the project',
    ],
    ['there is no such file', noFile, 'config: holds no database.ts, database.js or database.json'],
    ['it is empty', { 'config/database.js': '\n' }, 'config/database.js: is empty (mend it)'],
    [
      'it is no JavaScript',
      { 'config/database.js': 'const a = 1\nmodule.exports = {{{' },
      'config/database.js: is no valid JavaScript: look at line 2',
    ],
    [
      'it is no JSON',
      { ...noFile, 'config/database.json': '{\n"connection": {,}}' },
      'config/database.json: is no valid JSON: look at line 2, column 16',
    ],
    [
      'what lies over it is no JavaScript',
      { 'config/database.js': 'module.exports = {}', 'config/env/development/database.js': 'x y' },
      'config/env/development/database.js: is no valid JavaScript: look at line 1',
    ],
    [
      'nothing compiles it',
      { ...noFile, 'config/database.ts': typed },
      'config/database.ts: does not count, as Strapi reads TypeScript only where there is a tsconfig.json',
    ],
    [
      'it names no client',
      { 'config/database.js': 'module.exports = { connection: {} }' },
      'config/database.js: says no connection.client (one of mysql, postgres and sqlite)',
    ],
    [
      'the client is none that Strapi knows',
      { '.env': 'DATABASE_CLIENT=oracle' },
      'config/database.js: connection.client is oracle, as DATABASE_CLIENT says, and Strapi knows mysql,',
    ],
    [
      'the client is looked up in a table, as create-strapi writes it, that has none of the name',
      {
        '.env': 'DATABASE_CLIENT=pg',
        'config/database.js':
          'module.exports = ({ env }) => ({ connection: { ...{ postgres: { client: "postgres" } }[env("DATABASE_CLIENT")] } })',
      },
      'config/database.js: says no connection.client, as DATABASE_CLIENT is pg, and Strapi knows mysql, postgres and sqlite alone (set DATABASE_CLIENT to postgres)',
    ],
    [
      'the client is called as its driver is',
      {
        'config/database.js': `module.exports = { connection: { client: 'better-sqlite3', connection: made() } }`,
      },
      'config/database.js: connection.client is better-sqlite3, and Strapi knows mysql, postgres and sqlite alone (write sqlite)',
    ],
    [
      'a quote of .env is not closed',
      { '.env': 'A=1\n\nDATABASE_CLIENT="sqlite\nB="two" # b\n' },
      '.env, line 3: the quote before the value of DATABASE_CLIENT is not closed (close it)',
    ],
  ])('says what is the matter where %s', async (what, files, sentence) => {
    const { code, said } = await saidIn(project(`matter-${what.replace(/\W+/g, '-')}`, files))
    expect([code, said]).toEqual([1, expect.stringContaining(`  ${sentence}`)])
    expect(said).toContain('Mend that, or say where the database is:\n  --connection postgres://')
  })

  it('says it as docs/start.md shows', async () => {
    const page = readFileSync(join(__dirname, '..', '..', 'docs', 'start.md'), 'utf8')
    const [, shown = 'nothing'] = /## Where it does not start\n.*?```text\n(.*?)```/s.exec(page) ?? []
    const files = {
      ...noFile,
      'tsconfig.json': '{}',
      'config/database.ts': `${'\n'.repeat(11)}export default {{`,
    }
    expect((await saidIn(project('as-shown', files))).said).toBe(shown)
  })

  it('tells a quote that is not closed before it goes on', async () => {
    const given = 'DATABASE_FILENAME=.tmp/none.db\nOTHER=\'it\nWHOLE="a\nb"\nINNER=a"b'
    const { said } = await saidIn(project('quoted', { '.env': given }))
    expect(said.match(/^warning: .*$/gm)).toEqual([
      'warning: .env, line 2: the quote before the value of OTHER is not closed (close it)',
    ])
  })

  it('names the one value of a module that running it alone would tell', async () => {
    const module = (filename: string): string => `import path from 'node:path'
import { fileURLToPath } from 'node:url'
const here = path.dirname(fileURLToPath(import.meta.url))
export default () => ({
  connection: { client: 'sqlite', connection: { filename: ${filename} } },
})`
    const of = (name: string, filename: string): Promise<Ended> => {
      const files = { 'package.json': '{"type":"module","dependencies":{"@strapi/strapi":"5.47.1"}}' }
      return saidIn(project(name, { ...files, 'config/database.js': module(filename) }))
    }
    const untold = await of('module', 'chosen(here)')
    expect(untold.said).toContain(
      'config/database.js: connection.connection.filename is told by running it alone, and',
    )
    expect(untold.said).not.toContain('connection.client')
    const told = await of('module-told', `path.join(here, '..', '.tmp', 'here.db')`)
    expect(told.said).toContain(`There is no database file ${join(path, 'module-told', '.tmp', 'here.db')}.`)
  })

  it('says that what was named as a file of SQLite is none', async () => {
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
      expect.stringMatching(/data\.db is no SQLite database, or an encrypted one\.\nName the file/),
    ])
    expect(asText.said + asFolder.said).not.toMatch(/Start the database|EISDIR|NOTADB/)
  })

  it('says that no types are there where there is no folder for them', async () => {
    const folder = join(path, 'fresh')
    write({ 'fresh/package.json': strapiFiles['package.json'] ?? '', 'fresh/src/index.js': '' })
    const { code, said } = await saidIn(folder)
    expect([code, said]).toEqual([1, expect.stringContaining('There are no content types in src/api yet')])
  })

  it('finds the project that a folder lies in', async () => {
    const folder = join(project('deep'), 'src', 'api', 'article')
    const { said } = await saidIn(folder)
    expect(said).toContain('Nothing is here, and a Strapi project in ../../..')
    expect(said).toContain('There is no database file')
    const named = await saidIn(path, 'start', 'deep/src')
    expect(named.said).toMatch(/A Strapi project lies above it: npx express-content-router start \S*\/deep\n/)
  })

  it.each([
    ['@strapi/strapi', '4.25.1', '4.25.1'],
    ['@strapi/strapi', '^4.13.5', '4.13.5'],
  ])('refuses a project that asks for %s %s', async (name, asked, version) => {
    const told = JSON.stringify({ name: 'old', dependencies: { [name]: asked } })
    const { code, said } = await saidIn(project(`old-${version}`, { 'package.json': told }))
    expect(code).toBe(1)
    expect(said).toContain(`a project of Strapi ${version}, and the router reads Strapi 5`)
    expect(said).toContain('npx @strapi/upgrade major')
  })

  it('says what a project without types lacks', async () => {
    const folder = join(path, 'empty')
    write({ 'empty/package.json': strapiFiles['package.json'] ?? '', 'empty/src/api/.gitkeep': '' })
    cpSync(join(project('full'), 'config'), join(folder, 'config'), { recursive: true })
    mkdirSync(join(folder, '.tmp'))
    writeFileSync(join(folder, '.tmp', 'data.db'), '')
    const { code, said } = await saidIn(folder)
    expect([code, said]).toEqual([1, expect.stringContaining('There are no content types in src/api yet')])
  })

  it('names the projects that lie below, and takes the one where there is no other', async () => {
    project('work/apps/one')
    project('work/two')
    const several = await saidIn(join(path, 'work'))
    expect(several.code).toBe(1)
    expect(several.said).toContain('npx express-content-router start apps/one')
    expect(several.said).toContain('npx express-content-router start two')
    project('single/apps/cms')
    const one = await saidIn(join(path, 'single'))
    expect(one.said).toContain('Nothing is here, and a Strapi project in apps/cms.')
    expect(one.said).toContain('There is no database file')
  })

  it('says that a folder that was named holds nothing', async () => {
    mkdirSync(join(path, 'bare'))
    const { code, said } = await saidIn(path, 'start', 'bare')
    expect([code, said]).toEqual([1, expect.stringContaining('holds neither a Strapi project nor')])
  })

  it('refuses to show everything to whoever reaches the machine', async () => {
    const { code, said } = await saidIn(path, '--host', '0.0.0.0')
    expect([code, said]).toEqual([1, expect.stringContaining('--role public')])
  })

  describe('with a database', () => {
    const world = testDatabase('sqlite').restored()
    let folder: string
    beforeAll(() => {
      folder = project('whole', { '.env': dotEnvFor(world.config) })
      mkdirSync(join(folder, '.tmp'))
      const { filename } = world.config.connection as { readonly filename: string }
      copyFileSync(filename, join(folder, '.tmp', 'data.db'))
    })

    it('says that a port is taken', async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      try {
        const { port } = other.address() as AddressInfo
        const { code, said } = await saidIn(folder, '--port', String(port))
        expect([code, said]).toEqual([
          1,
          expect.stringContaining(`Port ${String(port)} is taken: --port names another`),
        ])
      } finally {
        other.close()
      }
    })

    it('says that an address is none of this machine', async () => {
      const { code, said } = await saidIn(folder, '--host', '192.0.2.7', '--role', 'public')
      expect([code, said]).toEqual([1, expect.stringContaining('This machine has no address 192.0.2.7')])
    })

    it('names the roles that there are', async () => {
      const { code, said } = await saidIn(folder, '--role', 'nobody')
      expect(code).toBe(1)
      expect(said).toMatch(/There is no role nobody: those that there are: \w+, \w+/)
      expect(said).not.toContain('all rights')
    })

    it('says where roles come from where there is none', async () => {
      const fresh = project('roleless', { '.env': 'DATABASE_FILENAME=.tmp/data.db' })
      mkdirSync(join(fresh, '.tmp'))
      writeFileSync(join(fresh, '.tmp', 'data.db'), '')
      const { code, said } = await saidIn(fresh, '--role', 'public')
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(/There is no role public: this database holds no roles yet\./),
      ])
      expect(said).not.toContain('all rights')
    })

    it('says that another process has the file locked', async () => {
      const file = join(folder, '.tmp', 'data.db')
      const other = new Database(file)
      try {
        other.exec('pragma locking_mode = exclusive; begin exclusive')
        const { code, said } = await ended([], { cwd: folder })
        expect([code, said]).toEqual([
          1,
          expect.stringContaining('Another process has locked the file of the database'),
        ])
        expect(said).not.toMatch(/Start the database|cannot be reached/)
      } finally {
        other.close()
      }
    })

    it('says what of the tables is not as the definitions say, and serves the rest', async () => {
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
        expect(site.said()).toMatch(/what this touches cannot be read:\n {2}lates: the table is missing/)
        expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
      } finally {
        await site.stop()
      }
    })
  })
})

describeOn(['mariadb', 'mysql', 'postgres'])('a password that is wrong, on %s', (name) => {
  const world = testDatabase(name).restored()
  const { path } = projectFolder()
  const project = projectsIn(path)

  it('is told as one', async () => {
    const given = dotEnvFor(world.config).replace(/^DATABASE_(USERNAME)=.*$/gm, 'DATABASE_$1=nobody')
    const { code, said } = await ended([], { cwd: project('locked', { '.env': given }) })
    expect(code).toBe(1)
    expect(said).toMatch(/neither this user nor this password\.\nLook at the user and the password in \.env/)
  })

  it('is not told of where there is no such database', async () => {
    const given = dotEnvFor(world.config).replace(/^DATABASE_NAME=.*$/gm, 'DATABASE_NAME=nowhere')
    const { code, said } = await ended([], { cwd: project('nowhere', { '.env': given }) })
    expect(code).toBe(1)
    expect(said).toMatch(
      /no database of this name.*\.\nLook at the name of the database in \.env, or make it/,
    )
  })

  it('gives way to a connection that is named', async () => {
    const { host, port, user, password, database } = world.config.connection as Record<
      string,
      string | number
    >
    const scheme = name === 'postgres' ? 'postgres' : 'mysql'
    const login = [user, password].map((part) => encodeURIComponent(String(part))).join(':')
    const url = `${scheme}://${login}@${String(host)}:${String(port)}/${String(database)}`
    const site = await started(['--connection', url], { cwd: project('named') })
    try {
      expect(site.said()).toContain(`database ${String(database)} at`)
      expect((await fetch(`${site.at}/api/articles`)).status).toBe(200)
    } finally {
      await site.stop()
    }
  })
})
