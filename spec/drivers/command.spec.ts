import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { runCommand } from '../../lib/command/run'
import { eachDatabase } from '../support/databases'
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

const schemes: Readonly<Record<string, string>> = { mysql2: 'mysql', pg: 'postgres' }

function flagsFor({ client, connection }: Knex.Config): readonly string[] {
  const given = connection as Readonly<Record<string, string>>
  const scheme = schemes[String(client)]
  const folder = ['--content-types', contentTypes]
  if (scheme !== undefined) return [...folder, '--connection', urlOf(scheme, given)]
  return [...folder, '--client', String(client), '--connection', String(given['filename'])]
}

function urlOf(
  scheme: string,
  { user, password, host, port, database }: Readonly<Record<string, string>>,
): string {
  const login = [user, password].map((part) => encodeURIComponent(part ?? '')).join(':')
  return `${scheme}://${login}@${String(host)}:${String(port)}/${String(database)}`
}

eachDatabase((database) => {
  describe('the command content-router', () => {
    const world = database.fresh()

    it('fails to check a database that has none of the tables, in one sentence', async () => {
      // SQLite makes its file as it is asked for the first time.
      await world.knex.raw('select 1')
      const { code, complained } = await run('check', ...flagsFor(world.config))
      expect(code).toBe(1)
      expect(complained).toMatch(/1 difference[^]*none of the \d+ tables of the definitions is there/)
      expect(complained).toContain('run content-router migrate')
    })

    it('prints SQL in a dry run that makes the tables when it is run by hand', async () => {
      const { code, printed } = await run('migrate', '--dry-run', ...flagsFor(world.config))
      expect(code).toBe(0)
      for (const statement of printed.split(';\n')) await world.knex.raw(statement.replace(/;$/, ''))
      expect(await run('check', ...flagsFor(world.config))).toMatchObject({ code: 0 })
    })

    it('migrates, and has nothing to do the second time', async () => {
      const { code } = await run('migrate', ...flagsFor(world.config))
      expect(code).toBe(0)
      expect(await run('migrate', ...flagsFor(world.config))).toEqual({
        code: 0,
        printed: 'Nothing to do.',
        complained: '',
      })
    })

    it('names columns that no definition names', async () => {
      await world.knex.schema.alterTable('tags', (table) => table.string('colour'))
      const { printed } = await run('migrate', ...flagsFor(world.config))
      expect(printed).toContain('left alone, no definition names it: tags.colour')
    })
  })
})

describe('a project with what Strapi starts with all the same', () => {
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

  it('is refused, and with --strapi5 costs its attribute and a warning that names it', async () => {
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

  it('is taken with --strapi5 from a config as well, which may say otherwise', async () => {
    write({
      'plain.cjs': `module.exports = ${JSON.stringify(config)}`,
      'strict.cjs': `module.exports = ${JSON.stringify({ ...config, definitions: 'strict' })}`,
    })
    const check = (name: string): Promise<Ran> => run('check', '--config', join(path, name), '--strapi5')
    expect([(await check('plain.cjs')).code, (await check('strict.cjs')).code]).toEqual([0, 1])
  })
})

describe('the words of the command line', () => {
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
  ])('%j are refused with the usage', async (words, reason) => {
    const { code, complained } = await run(...words)
    expect(code).toBe(2)
    expect(complained).toContain(reason)
    expect(complained).toContain('Usage: content-router <command>')
    // It stays in sight in the smallest terminal, and none of it is Node's.
    expect(complained.split('\n').length).toBeLessThan(8)
    expect(complained).toContain('--help tells all')
    expect(complained).not.toMatch(/positional|Option '/)
  })

  it('print the usage when asked', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, complained: '' })
    expect((await run('migrate', '-h')).printed).toContain('--dry-run')
  })

  it.each(['--version', '-v'])('print the version when asked: %s', async (word) => {
    const { version } = JSON.parse(readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8')) as {
      version: string
    }
    expect(await run(word)).toEqual({ code: 0, complained: '', printed: version })
  })

  it.each(['pg', 'mysql2'])(
    'that lead to no %s server fail without a stack and without the password',
    async (client) => {
      const url = `${schemes[client] ?? ''}://root:hunter22@127.0.0.1:1/none`
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

  it('that name an unknown client are answered with those there are', async () => {
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

describe('a file of SQLite that is not there', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'content-router-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const flags = (): readonly string[] => [
    ...['--content-types', contentTypes, '--client', 'better-sqlite3'],
    ...['--connection', join(folder, 'mistyped.db')],
  ]

  it('is said by check, which makes none', async () => {
    const { code, complained } = await run('check', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([1, false])
    expect(complained).toContain('database.connection.filename: there is no such file')
  })

  it('is empty to a dry run, which makes none', async () => {
    const { code, printed } = await run('migrate', '--dry-run', ...flags())
    expect([code, existsSync(join(folder, 'mistyped.db'))]).toEqual([0, false])
    expect(printed).toContain('create table "articles"')
  })

  it('is made by migrate', async () => {
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
  ])('takes %s from the folder it runs in', async (name, write) => {
    await writeFile(join(folder, name), write(body(`${name}.db`)))
    expect(await spawned('migrate')).toMatchObject({ code: 0, complained: '' })
    expect(await spawned('check')).toMatchObject({ code: 0, complained: '' })
    await rm(join(folder, name))
  })

  it('takes a config that holds a Knex instance, and ends', async () => {
    const knex = require.resolve('knex')
    const connection = `require(${JSON.stringify(knex)})({ client: 'better-sqlite3', useNullAsDefault: true, connection: { filename: 'own.db' } })`
    await writeFile(
      join(folder, 'own.cjs'),
      `exports.contentTypes = ${JSON.stringify(contentTypes)}; exports.database = ${connection}`,
    )
    expect(await spawned('migrate', '--config', 'own.cjs')).toMatchObject({ code: 0, complained: '' })
  })

  it('refuses a module that is no config, and one that cannot be loaded', async () => {
    await writeFile(join(folder, 'empty.cjs'), 'module.exports = {}')
    await writeFile(join(folder, 'broken.cjs'), 'throw new Error("not today")')
    expect(await spawned('check', '--config', 'empty.cjs')).toMatchObject({ code: 2 })
    const { code, complained } = await spawned('check', '--config', 'broken.cjs')
    expect([code, complained.includes('broken.cjs cannot be loaded: not today')]).toEqual([2, true])
  })
})
