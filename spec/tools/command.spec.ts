import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../lib'
import { commandNames, flagsOf } from '../../tools/command/help'
import { runCommand } from '../../tools/command/run'
import { onSqlite } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { orderTypes } from '../support/orders'
import { projectFolder } from '../support/project-folder'
import { recordingOf } from '../support/recordings'
import { ended, endedProcess } from '../support/started'
import { addDatabase, addTypes, dotEnvFor, standOf, strapiFiles } from '../support/strapi-folder'

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
  const { path } = projectFolder({
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

  it('is migrated without the attribute, and check fails', async () => {
    const expected = [
      ['migrate', 0],
      ['check', 1],
    ] as const
    for (const [command, exit] of expected) {
      const { code, complained } = await run(command, ...flags)
      expect([code, complained]).toEqual([
        exit,
        expect.stringMatching(/^warning: .* \(uid: api::note\.note, attribute: lost, problem: .*\)$/m),
      ])
    }
  })
})

describe('the arguments of the command line', () => {
  it.each([
    [['start', 'nowhere'], 'there is no folder nowhere'],
    [['start', 'lib', 'spec'], 'only one command can run at a time'],
    [['--port', 'http'], '--port http must be a number'],
    [['--beside', 'localhost'], '--beside requires the URL of a Strapi server'],
    [['start', '--out', 'a'], '--out is supported only by introspect and types and openapi'],
    [['migrate', '--port', '1'], '--port is supported only by start'],
    [['serve'], 'serve is not a command or a folder'],
    [['chek'], 'chek is not a command or a folder: did you mean check?'],
    [['start', 'package.json'], 'package.json is a file, not a folder'],
    [['migrate', 'check'], 'only one command can run at a time'],
    [['migrate', '--fast'], 'there is no flag --fast'],
    [['--prt', '1'], 'there is no flag --prt: did you mean --port?'],
    [['-x'], 'there is no flag -x'],
    [['types', '--role', 'a', '--role=b'], '--role is given twice'],
    [['--port'], '--port needs a value'],
    [['--role='], '--role needs a value'],
    [['--role', '--port', '1'], '--role needs a value. If the value is --port, write --role=--port'],
    [['migrate', '--dry-run=no'], '--dry-run takes no value'],
    [['check', '--dry-run'], '--dry-run is supported only by introspect and migrate and search-index'],
    [['check', '--strapi-database'], '--strapi-database is supported only by migrate'],
    [
      ['migrate', '--role', 'member'],
      '--role is supported only by start and check and advise and types and openapi and export and mcp',
    ],
    [['migrate', '--client', 'pg'], '--content-types and --connection must be set together'],
    [['check', '--content-types', 'types'], '--content-types and --connection must be set together'],
    [
      ['migrate', '--content-types', 'types', '--connection', 'host=localhost password=hunter22'],
      '--connection must be a URL such as postgres://…, or a SQLite file such as content.db. For other values, add --client',
    ],
    [['check', '--content-types', 'types', '--connection', 'lib'], '--connection must be a URL'],
    [
      ['migrate', '--config', 'a.js', '--client', 'pg'],
      '--config cannot be combined with --content-types, --connection and --client',
    ],
    [['migrate', '--config', 'nowhere.js'], 'the file nowhere.js does not exist'],
    [['migrate'], 'the flag --config is missing'],
  ])('%j fail with the usage', async (words, reason) => {
    const { code, complained } = await run(...words)
    expect(code).toBe(2)
    expect(complained).toContain(reason)
    expect(complained).toContain('Usage: content-router <command>')
    // It stays in sight in the smallest terminal, and none of it is Node's.
    expect(complained.split('\n').length).toBeLessThan(8)
    expect(complained).toContain('See --help.')
    expect(complained).not.toMatch(/positional|Option '/)
  })

  it('print all commands with --help', async () => {
    const { code, complained, printed } = await run('--help')
    expect({ code, complained }).toEqual({ code: 0, complained: '' })
    expect(commandNames.filter((name) => !printed.includes(`\n  ${name} `))).toEqual([])
  })

  it.each(commandNames)('print the options of %s with --help', async (name) => {
    const { code, printed } = await run(name, '--help')
    expect([code, printed.split('\n')[0]]).toEqual([0, expect.stringContaining(name) as unknown])
    const shown = [...printed.matchAll(/^  --([\w-]+)/gm)].map(([, flag]) => flag)
    const source = ['config', 'content-types', 'connection', 'client', 'strapi5']
    expect(shown.toSorted()).toEqual([...flagsOf(name), ...source].toSorted())
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
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
      const { code, complained } = await run('check', '--content-types', contentTypes, '--connection', url)
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
    expect(complained).toContain('set database.client to one of better-sqlite3, mysql2, pg')
  })
})

describe('a missing SQLite file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-router-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const flags = (): readonly string[] => [
    ...['--content-types', contentTypes, '--connection', join(folder, 'mistyped.db')],
  ]

  it('is reported by check, and not created', async () => {
    const { code, complained } = await run('check', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([1, false])
    expect(complained).toContain('database.connection.filename: the file does not exist')
  })

  it('is an empty database for migrate --dry-run, and not created', async () => {
    const { code, printed } = await run('migrate', '--dry-run', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([0, false])
    expect(printed).toContain('create table "articles"')
  })

  it('is created by migrate', async () => {
    expect((await run('migrate', ...flags())).code).toBe(0)
    expect(existsSync(join(folder, 'mistyped.db'))).toBe(true)
    expect((await run('migrate', '--dry-run', ...flags())).printed).toBe('-- No changes are needed.')
    expect((await run('check', ...flags())).code).toBe(0)
  })

  it('needs no --client if it exists, whatever its name', async () => {
    const file = join(folder, 'content')
    copyFileSync(join(folder, 'mistyped.db'), file)
    expect((await run('check', '--content-types', contentTypes, '--connection', file)).code).toBe(0)
  })
})

describe('a config file', () => {
  const { path, write } = projectFolder({})
  const command = join(__dirname, '..', '..', 'dist', 'tools', 'command.js')
  const config = { contentTypes, database: { client: 'better-sqlite3', connection: { filename: 'own.db' } } }

  it('is read from the working directory', async () => {
    write({ 'content-router.config.cjs': `module.exports = ${JSON.stringify(config)}` })
    expect(await ended(['migrate'], { cwd: path })).toMatchObject({ code: 0 })
    expect(await ended(['check'], { cwd: path })).toMatchObject({ code: 0 })
    rmSync(join(path, 'content-router.config.cjs'))
    rmSync(join(path, 'own.db'))
  })

  it('may be an ES module with a Knex instance, with which the built command exits', async () => {
    if (!existsSync(command)) throw new Error('run `npm run build` first: this is about the build')
    write({
      'content-router.config.mjs': `import knex from ${JSON.stringify(require.resolve('knex'))}
export default { ...${JSON.stringify(config)}, database: knex({ ...${JSON.stringify(config.database)}, useNullAsDefault: true }) }`,
    })
    expect(await endedProcess(['migrate'], { cwd: path })).toMatchObject({ code: 0 })
    expect(existsSync(join(path, 'own.db'))).toBe(true)
  })

  it('fails if it is empty or throws', async () => {
    write({ 'empty.cjs': 'module.exports = {}', 'broken.cjs': 'throw new Error("not today")' })
    expect((await run('check', '--config', join(path, 'empty.cjs'))).code).toBe(2)
    const { code, complained } = await run('check', '--config', join(path, 'broken.cjs'))
    expect([code, complained.includes('broken.cjs cannot be loaded: not today')]).toEqual([2, true])
  })
})

describe('content-router check --role', () => {
  const { path, write } = projectFolder({})
  const database = { client: 'better-sqlite3', connection: { filename: join(path, 'data.db') } }
  const config = (permissions: unknown, drafts = 'granted'): string =>
    `module.exports = { contentTypes: ${JSON.stringify(orderTypes)}, database: ${JSON.stringify(database)}, permissions: ${String(permissions)}, drafts: '${drafts}' }`
  const table = JSON.stringify({
    member: {
      find: { item: true, order: { where: { customer: { id: { $asker: 'id' } } } } },
      findOne: { item: true, order: { fields: ['number', 'total'] } },
      drafts: ['review'],
    },
  })

  beforeAll(() => migrate({ contentTypes: orderTypes, database }))

  async function check(permissions: unknown, role: string, drafts?: string): Promise<readonly string[]> {
    const file = `config${String(Math.random()).slice(2)}.cjs`
    write({ [file]: config(permissions, drafts) })
    const printed: string[] = []
    const print = (text: string): unknown => printed.push(text)
    const code = await runCommand(['check', '--config', join(path, file), '--role', role], {
      print,
      complain: print,
    })
    return [`exit ${String(code)}`, ...printed.join('\n').split('\n')]
  }

  it('lists the types and rows that the role may read', async () => {
    expect(await check(table, 'member')).toEqual([
      'exit 0',
      'The role member can read:',
      '  type                find                                       findOne               drafts',
      '  api::order.order    where {"customer":{"id":{"$asker":"id"}}}  fields number, total  -',
      '  api::item.item      all                                        all                   -',
      '  api::review.review  -                                          -                     all',
      'The tables match the definitions.',
    ])
  })

  it('lists drafts for every role that may find the type, if drafts are open', async () => {
    const narrow = JSON.stringify({
      reader: { find: { review: { where: { text: 'fine' } }, item: true } },
      narrowed: { find: ['review'], drafts: { review: { fields: ['text'] } } },
      writer: { find: [], drafts: ['review'] },
    })
    const shown = async (role: string): Promise<unknown> => (await check(narrow, role, 'open')).slice(2, -1)
    expect(await shown('reader')).toEqual([
      '  type                find                   findOne                drafts',
      '  api::item.item      all                    all                    -',
      '  api::review.review  where {"text":"fine"}  where {"text":"fine"}  as find',
    ])
    expect(await shown('narrowed')).toEqual([
      '  type                find  findOne  drafts',
      '  api::review.review  all   all      fields text',
    ])
    expect(await shown('writer')).toEqual([
      '  type                find  findOne  drafts',
      '  api::review.review  -     -        all',
    ])
  })

  it('lists files for a role that may find them, and says that a role is limited to named queries', async () => {
    const named = JSON.stringify({ lister: { find: ['plugin::upload.file'], queries: 'named' } })
    const extensions = `extensions: [{ name: 'names', rewriteQuery: { adds: {} } }]`
    expect((await check(`${named}, ${extensions}`, 'lister')).slice(1, -1)).toEqual([
      'The role lister can read, with named queries only:',
      '  type                 find  findOne  drafts',
      '  plugin::upload.file  all   all      -',
    ])
  })

  it('fails for a role without permissions, and names the others', async () => {
    const [exit, ...printed] = await check(table, 'guest')
    expect([exit, printed.join('\n')]).toEqual([
      'exit 2',
      expect.stringContaining('permissions: there is no role guest (use one of member)'),
    ])
    expect(await check('{ guest: {} }', 'guest')).toContain('The role guest has no permissions.')
  })

  it('says that a function is called for each request', async () => {
    expect(await check('() => true', 'member')).toContain(
      'warning: the permissions cannot be listed, because a function or the database grants them at each request',
    )
  })

  it('fails if a rule is invalid', async () => {
    const [exit, ...printed] = await check(
      `{ member: { find: { order: { where: { nope: 1 } } } } }`,
      'member',
    )
    expect([exit, printed.join('\n')]).toEqual([
      'exit 1',
      expect.stringContaining('permissions.member.find.order.where.nope: Invalid key nope'),
    ])
  })
})

const says = async (cwd: string, ...words: readonly string[]): Promise<string> =>
  (await ended(words, { cwd })).said

describe('content-router types without a source', () => {
  const { path, write } = projectFolder()
  const made = `import { connect } from '../src/connect'\nmodule.exports = () => ({ connection: connect() })`
  const files: Readonly<Record<string, string>> = { ...strapiFiles, 'config/database.js': made }
  const cms = join(path, 'apps', 'cms')
  beforeAll(() => {
    write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`apps/cms/${name}`, text])))
    addTypes(cms)
  })

  it('are those of the Strapi project, whose database is not opened', async () => {
    const before = standOf(cms)
    const { code, said } = await ended(['types'], { cwd: cms })
    expect(code).toBe(0)
    expect(said).toMatch(/^\/\/ Made by: content-router types\n/)
    expect(said).toContain('articles: {')
    expect(standOf(cms)).toEqual(before)
    expect(await says(path, 'types', '--content-types', join(cms, 'src'), '--strapi5')).toContain(
      said.split('\n').slice(3).join('\n'),
    )
  })

  it('are written and checked as with a config', async () => {
    const out = ['types', '--out', 'content.ts']
    expect(await says(cms, ...out)).toBe('content.ts is written.\n')
    expect((await ended([...out, '--check'], { cwd: cms })).code).toBe(0)
    writeFileSync(join(cms, 'content.ts'), '')
    expect((await ended([...out, '--check'], { cwd: cms })).code).toBe(1)
    rmSync(join(cms, 'content.ts'))
  })

  it('reject --role, as the database of the project holds the permissions', async () => {
    const { code, said } = await ended(['types', '--role', 'public'], { cwd: cms })
    expect(code).toBe(1)
    expect(said).toContain('remove the flag --role')
  })

  it('come from a config first, and migrate needs a config', async () => {
    expect(await says(cms, 'migrate')).toContain('the flag --config is missing')
    const config = 'module.exports = { contentTypes: [], database: {} }'
    write({ 'apps/cms/content-router.config.cjs': config })
    const said = await says(cms, 'types')
    rmSync(join(cms, 'content-router.config.cjs'))
    expect(said).not.toContain('articles')
  })

  it('are folders of Strapi, and --strapi5 is missing: a warning names it', async () => {
    const flags = ['types', '--content-types', join(cms, 'src')]
    const warning = /^warning: .* is part of a Strapi project: add --strapi5/m
    expect((await run(...flags)).complained).toMatch(warning)
    expect((await run(...flags, '--strapi5')).complained).not.toMatch(warning)
    expect((await run('types', '--content-types', contentTypes)).complained).not.toMatch(warning)
  })

  it('are described by content-router openapi, too', async () => {
    const document = JSON.parse(await says(cms, 'openapi')) as { paths: object }
    expect(Object.keys(document.paths)).toContain('/articles')
  })

  it('are not checked if the database of the project is unknown', async () => {
    const { code, said } = await ended(['check'], { cwd: cms })
    expect(code).toBe(1)
    expect(said).toContain('src/connect: the file is required, but is missing')
  })
})

onSqlite((database) => {
  describe('content-router check without a source', () => {
    const world = database.restored()
    const { path, write } = projectFolder(strapiFiles)

    it('compares the Strapi project with its database, and changes neither', async () => {
      addTypes(path)
      write({ '.env': dotEnvFor(world.config) })
      addDatabase(path, world.config)
      const before = standOf(path)
      const { code, said } = await ended(['check'], { cwd: path })
      expect(said).toContain('The tables match the definitions.')
      expect(code).toBe(0)
      expect(standOf(path)).toEqual(before)
    }, 30_000)

    it('says that Strapi makes the tables of an empty database', async () => {
      write({ '.env': 'DATABASE_FILENAME=.tmp/empty.db', '.tmp/empty.db': '' })
      const { code, said } = await ended(['check'], { cwd: path })
      expect([code, said]).toEqual([1, expect.stringContaining('the database has no tables')])
      expect(said).toContain('start Strapi once with npm run develop, so that Strapi creates the tables')
      expect(said).not.toContain('migrate')
    }, 30_000)
  })
})
