import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { knex } from 'knex'
import { contentRouter } from '../../lib'
import { openDatabase } from '../../lib/database'
import type { Definition } from '../../lib/schema'
import { runCommand } from '../../tools/command/run'
import { compareDefinitions, introspect, type Introspection } from '../../tools/introspect'
import { projectFolder } from '../support/project-folder'
import { ended, started } from '../support/started'

async function introspected(
  statements: readonly string[],
  views = new Map<string, string>(),
): Promise<Introspection> {
  const database = knex({ client: 'better-sqlite3', connection: ':memory:', useNullAsDefault: true })
  try {
    for (const statement of statements) await database.raw(statement)
    return await introspect(openDatabase(database), { schema: null, tables: [], views })
  } finally {
    await database.destroy()
  }
}

const typesIn = ({ definitions }: Introspection): object =>
  Object.fromEntries(
    [...definitions].map(([table, { info }]) => [
      table,
      `${info?.singularName ?? ''} ${info?.pluralName ?? ''}`,
    ]),
  )

async function attributesOf(table: string, columns: string): Promise<Definition['attributes']> {
  const { definitions } = await introspected([`create table ${table} (${columns})`])
  return definitions.get(table)?.attributes ?? {}
}

/** Names of attributes by the place where the database has their values. */
const placesIn = (definition: Definition | undefined): object =>
  Object.fromEntries(
    Object.entries(definition?.attributes ?? {}).map(
      ([name, { columnName, joinColumn, mappedBy, joinTable }]) => [
        name,
        columnName ??
          (joinColumn as { name: string } | undefined)?.name ??
          mappedBy ??
          (joinTable ? 'join' : name),
      ],
    ),
  )

describe('the names of types', () => {
  it.each([
    ['film', 'film films'],
    ['films', 'film films'],
    ['InvoiceLine', 'invoice-line invoice-lines'],
    ['film_categories', 'film-category film-categories'],
    ['people', 'person people'],
    ['news', 'news news'],
    ['order_status', 'order-status order-statuses'],
    ['viruses', 'virus viruses'],
    ['cookies', 'cookie cookies'],
    ['HTTPLogs', 'http-log http-logs'],
    ['"Straße"', 'stra-e stra-es'],
    ['"año"', 'ano anos'],
    ['"2fa_codes"', 'table-2fa-code table-2fa-codes'],
    ['"日本"', 'table tables'],
    ['"Order Details"', 'order-detail order-details'],
  ])('of %s are %s', async (table, names) => {
    const found = await introspected([`create table ${table} (id integer primary key)`])
    expect(typesIn(found)).toEqual({ [table.replaceAll('"', '')]: names })
  })

  it('get a number if two tables would have the same ones', async () => {
    const found = await introspected(
      ['film', 'films', 'film_'].map((table) => `create table ${table} (id integer primary key)`),
    )
    expect(typesIn(found)).toEqual({ film: 'film films', film_: 'film-2 films-2', films: 'film-3 films-3' })
  })
})

describe('the names of attributes', () => {
  it('are in camel case, with the name of the column', async () => {
    const attributes = await attributesOf(
      'films',
      'id integer primary key, title text, release_year int, "IMDbID" int, ISBN text, "unit price" real, año int',
    )
    expect(attributes).toEqual({
      title: { type: 'text' },
      releaseYear: { type: 'integer', columnName: 'release_year' },
      imDbId: { type: 'integer', columnName: 'IMDbID' },
      isbn: { type: 'text', columnName: 'ISBN' },
      unitPrice: { type: 'float', columnName: 'unit price' },
      año: { type: 'integer', columnName: 'año' },
    })
  })

  it('differ from built-in ones, from those of every object and from each other', async () => {
    const attributes = await attributesOf(
      'films',
      `film_id integer primary key, id int, locale text, publishedAt text, constructor text, "2020" int,
       address2 text, address_2 text, "address 2" text`,
    )
    expect(placesIn({ attributes } as unknown as Definition)).toEqual({
      filmId: 'id',
      filmLocale: 'locale',
      filmPublishedAt: 'publishedAt',
      filmConstructor: 'constructor',
      film2020: '2020',
      address2: 'address2',
      filmAddress2: 'address_2',
      filmAddress22: 'address 2',
    })
  })
})

describe('the attributes of SQLite columns', () => {
  it('have types by the words of the declared types', async () => {
    const declared: Readonly<Record<string, string>> = {
      INTEGER: 'integer',
      SMALLINT: 'integer',
      BIGINT: 'biginteger',
      'UNSIGNED BIG INT': 'biginteger',
      BOOLEAN: 'boolean',
      'TINYINT(1)': 'boolean',
      'NVARCHAR(160)': 'string',
      TEXT: 'text',
      CLOB: 'text',
      DATE: 'date',
      TIME: 'time',
      DATETIME: 'datetime',
      TIMESTAMP: 'datetime',
      'NUMERIC(10,2)': 'decimal',
      DECIMAL: 'decimal',
      REAL: 'float',
      'DOUBLE PRECISION': 'float',
      JSON: 'json',
    }
    const columns = Object.keys(declared).map((type, place) => `c${String.fromCharCode(97 + place)} ${type}`)
    const attributes = await attributesOf('kinds', `id integer primary key, ${columns.join(', ')}`)
    expect(Object.values(attributes)).toEqual(Object.values(declared).map((type) => ({ type })))
  })

  it('are required and unique as the columns are', async () => {
    const columns = `id integer primary key, isbn text not null unique, shelf int, place int, "label" text,
      upper text generated always as (label || '!') virtual, unique (shelf, place)`
    expect(await attributesOf('books', columns)).toEqual({
      isbn: { type: 'string', required: true, unique: true },
      shelf: { type: 'integer' },
      place: { type: 'integer' },
      label: { type: 'text' },
      upper: { type: 'text' },
    })
  })

  it('are private if their names suggest secrets', async () => {
    const columns = [
      ...['password', 'passwordHash', 'reset_token', 'client_secret', 'hash', 'salt', 'api_key', 'ApiKey'],
      ...['private_key', 'SecretKey', 'aws_access_key', 'encryption_key_id', 'pin', 'card_pin', 'ssn'],
      ...['hashtag', 'basalt', 'key', 'sort_key', 'pinned', 'spin'],
    ]
    const found = await introspected([
      `create table accounts (id integer primary key, ${columns.join(' text, ')} text)`,
    ])
    expect(found.secrets).toEqual(columns.slice(0, 15).map((column) => `accounts.${column}`))
    const attributes = Object.values(found.definitions.get('accounts')?.attributes ?? {})
    expect(attributes.filter((attribute) => attribute['private'] === true)).toHaveLength(15)
  })

  it('leave out binary columns and those without a type', async () => {
    const { definitions, unserved } = await introspected([
      'create table photos (id integer primary key, picture blob, place point, anything)',
    ])
    expect(definitions.get('photos')?.attributes).toEqual({})
    expect(unserved).toEqual([
      { place: 'photos.picture', reason: 'blob holds binary data' },
      { place: 'photos.place', reason: 'point holds binary data' },
      { place: 'photos.anything', reason: 'the column has no declared type' },
    ])
  })

  it('are createdAt and updatedAt of the table if they are instants of these names', async () => {
    const { definitions } = await introspected([
      'create table a (id integer primary key, created_at datetime, updatedAt timestamp, last_update datetime)',
      'create table b (id integer primary key, created_at integer)',
    ])
    expect(definitions.get('a')).toMatchObject({
      table: { createdAt: 'created_at', updatedAt: 'updatedAt' },
      attributes: { lastUpdate: { type: 'datetime', columnName: 'last_update' } },
    })
    expect(definitions.get('b')).toMatchObject({
      table: {},
      attributes: { bCreatedAt: { type: 'integer', columnName: 'created_at' } },
    })
  })
})

describe('the id of a type', () => {
  it.each([
    ['id integer primary key', {}],
    ['film_id integer primary key', { id: 'film_id' }],
    ['code varchar(3) primary key', { id: { name: 'code', type: 'string' } }],
    ['id bigint primary key', { id: { name: 'id', type: 'biginteger' } }],
    ['picture blob primary key, number int not null unique', { id: 'number' }],
    ['a int, b int, c int not null unique, primary key (a, b)', { id: 'c' }],
  ])('is the key of (%s)', async (columns, table) => {
    const { definitions } = await introspected([`create table films (${columns})`])
    expect(definitions.get('films')?.['table']).toEqual(table)
  })

  it.each([
    ['a int', 'the table has no primary key and no unique column'],
    ['a int unique', 'a is unique, and may be null'],
    ['a blob primary key', 'a has a type that no key can have'],
    ['a date primary key', 'a has a type that no key can have'],
  ])('is missing in (%s)', async (columns, reason) => {
    const { definitions, unserved } = await introspected([`create table films (${columns})`])
    expect([definitions.size, unserved]).toEqual([0, [{ place: 'films', reason }]])
  })
})

it('a view is the way to serve a table whose key has several columns', async () => {
  const table = 'create table lines (a int, b text, primary key (a, b))'
  const { unserved } = await introspected([table])
  const view = `create view "lines_view" as select cast("a" || '-' || "b" as text) as id, t.* from "lines" t`
  const hint = `${view}, then --view lines_view=id`
  expect(unserved).toEqual([{ place: 'lines', reason: 'the key has several columns: a, b', hint }])
  const { definitions } = await introspected([table, view], new Map([['lines_view', 'id']]))
  expect(definitions.get('lines_view')?.['table']).toEqual({ id: { name: 'id', type: 'string' } })
})

describe('the relations of foreign keys', () => {
  it('are named after the column without the key, or after the target', async () => {
    const { definitions } = await introspected([
      'create table employees (emp_no integer primary key, boss int references employees, ReportsTo int references employees)',
      'create table countries (Code text primary key)',
      `create table cities (id integer primary key, country_code text references countries, mayorid int, emp_no int,
        EmployeesID int, foreign key (emp_no) references employees, foreign key (employeesid) references EMPLOYEES)`,
    ])
    expect(placesIn(definitions.get('cities'))).toEqual({
      country: 'country_code',
      mayorid: 'mayorid',
      employee: 'emp_no',
      employees: 'EmployeesID',
    })
    expect(placesIn(definitions.get('employees'))).toEqual({
      boss: 'boss',
      reportsTo: 'ReportsTo',
      cities: 'employee',
      citiesByEmployees: 'employees',
      employeesByBoss: 'boss',
      employeesByReportsTo: 'reportsTo',
    })
  })

  it('get another name if a column or another relation has it', async () => {
    const { definitions } = await introspected([
      'create table languages (id integer primary key, films int)',
      'create table films (id integer primary key, language text, language_id int references languages)',
    ])
    expect(placesIn(definitions.get('films'))).toEqual({ language: 'language', languageId: 'language_id' })
    expect(placesIn(definitions.get('languages'))).toEqual({
      films: 'films',
      filmsByLanguageId: 'languageId',
    })
  })

  it('are oneToOne if the column is unique', async () => {
    const { definitions } = await introspected([
      'create table users (id integer primary key)',
      'create table profiles (user_id integer primary key references users (id))',
    ])
    expect(definitions.get('profiles')?.attributes).toEqual({
      user: {
        type: 'relation',
        relation: 'oneToOne',
        target: 'user',
        inversedBy: 'profile',
        joinColumn: { name: 'user_id' },
      },
    })
    expect(definitions.get('users')?.attributes).toEqual({
      profile: { type: 'relation', relation: 'oneToOne', target: 'profile', mappedBy: 'user' },
    })
  })

  it('leave a plain attribute where there is none', async () => {
    const { definitions, unserved } = await introspected([
      'create table users (id integer primary key, nick text unique)',
      'create table logs (user int, day int)',
      'create table posts (id integer primary key, nick text references users (nick), log int references logs (user), gone int references nowhere)',
    ])
    expect(Object.keys(definitions.get('posts')?.attributes ?? {})).toEqual(['nick', 'log', 'gone'])
    expect(unserved).toEqual([
      { place: 'logs', reason: 'the table has no primary key and no unique column' },
      {
        place: 'posts.nick',
        reason: 'no relation, because the foreign key refers to users.nick, and the id of users is id',
      },
      { place: 'posts.log', reason: 'no relation, because the router does not serve logs' },
      { place: 'posts.gone', reason: 'no relation, because the foreign key refers to another schema' },
    ])
  })
})

const filmsAndActors = [
  'create table films (id integer primary key)',
  'create table actors (id integer primary key)',
]

it('names that definitions cannot hold are left out, and listed', async () => {
  const { definitions, unserved } = await introspected([
    'create table "a.b" (id integer primary key)',
    'create table films (id integer primary key, "really?" int, "s`o" int references films)',
  ])
  expect(definitions.get('films')?.attributes).toEqual({})
  const reason = 'the name contains a dot, a question mark or a quote'
  expect(unserved).toEqual(['a.b', 'films.really?', 'films.s`o'].map((place) => ({ place, reason })))
})

describe('a join table', () => {
  it('has two foreign keys that are unique together, timestamps and an order', async () => {
    const { definitions, joins, unserved } = await introspected([
      ...filmsAndActors,
      `create table film_actor (actor_id int references actors, film_id int references films, sort_order int,
        last_update datetime, primary key (film_id, actor_id))`,
    ])
    expect([joins.map(({ name }) => name), unserved]).toEqual([['film_actor'], []])
    expect(definitions.get('actors')?.attributes).toEqual({
      films: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'film',
        inversedBy: 'actors',
        joinTable: {
          name: 'film_actor',
          joinColumn: { name: 'actor_id' },
          inverseJoinColumn: { name: 'film_id' },
          orderColumn: { name: 'sort_order' },
        },
      },
    })
    expect(definitions.get('films')?.attributes).toEqual({
      actors: { type: 'relation', relation: 'manyToMany', target: 'actor', mappedBy: 'films' },
    })
  })

  it('differs from a definition whose columns are swapped, as its foreign keys say', async () => {
    const { definitions, tables } = await introspected([
      ...filmsAndActors,
      `create table film_actor (actor_id int references actors, film_id int references films,
        primary key (film_id, actor_id))`,
    ])
    const found = definitions.get('actors') as Definition
    expect(compareDefinitions(found, found, tables)).toEqual([])
    const [joinColumn, inverseJoinColumn] = [{ name: 'film_id' }, { name: 'actor_id' }]
    const joinTable = { name: 'film_actor', joinColumn, inverseJoinColumn }
    const swapped = { ...found, attributes: { films: { ...found.attributes['films'], joinTable } } }
    expect(compareDefinitions(swapped, found, tables)).toEqual([
      'in the join table film_actor, film_id refers to films. Swap joinColumn and inverseJoinColumn',
    ])
  })

  it('may link a table to itself, or be the second of the same tables', async () => {
    const { definitions } = await introspected([
      ...filmsAndActors,
      'create table friends (actor_id int references actors, friend_id int references actors, unique (actor_id, friend_id))',
      'create table _films (A int references films, B int references actors, unique (A, B))',
      'create table extras (film_id int references films, actor_id int references actors, unique (film_id, actor_id))',
    ])
    expect(Object.keys(definitions.get('films')?.attributes ?? {})).toEqual(['actors', 'actorsByExtras'])
    expect(Object.keys(definitions.get('actors')?.attributes ?? {})).toEqual([
      ...['films', 'filmsByExtras'],
      ...['friends', 'actors'],
    ])
  })

  it('is a type if it has a key of its own', async () => {
    const { definitions, joins } = await introspected([
      ...filmsAndActors,
      'create table roles (id integer primary key, film_id int references films, actor_id int references actors, unique (film_id, actor_id))',
    ])
    expect([joins, Object.keys(definitions.get('roles')?.attributes ?? {})]).toEqual([[], ['film', 'actor']])
  })

  it('loses its other columns, which are named', async () => {
    const { joins, unserved } = await introspected([
      ...filmsAndActors,
      'create table roles (film_id int references films, actor_id int references actors, part text, primary key (film_id, actor_id))',
    ])
    expect(joins).toHaveLength(1)
    expect(unserved).toEqual([
      {
        place: 'roles.part',
        reason: 'the column belongs to a join table. To serve the table, add a unique column',
      },
    ])
  })

  it('is no join table if its columns are not unique together, or if it has a third foreign key', async () => {
    const { joins, unserved } = await introspected([
      ...filmsAndActors,
      'create table a (film_id int references films, actor_id int references actors)',
      'create table b (film_id int references films, actor_id int references actors, second_id int references actors, primary key (film_id, actor_id))',
    ])
    expect([joins, unserved.map(({ place }) => place)]).toEqual([[], ['a', 'b']])
  })
})

describe('content-router introspect', () => {
  const { path } = projectFolder()
  const file = join(path, 'films.db')
  const database = knex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true })
  const types = (name: string): string => join(path, name)

  async function run(...words: readonly string[]): Promise<{ code: number; said: string }> {
    const lines: string[] = []
    const print = (text: string): unknown => lines.push(text)
    const given = ['introspect', '--connection', file, ...words]
    const code = await runCommand(given, { print, complain: print })
    return { code, said: lines.join('\n') }
  }

  beforeAll(async () => {
    await database.raw('create table films (film_id integer primary key, title text not null, token text)')
    await database.raw(
      'create table film_notes (id integer primary key, film_id int references films, scan blob)',
    )
    await database.raw('create table shops (id integer primary key)')
    await database.raw('create view titles as select film_id, title from films')
  })

  afterAll(() => database.destroy())

  it('writes a file for each table, and a summary', async () => {
    const { code, said } = await run('--out', types('all'))
    expect(code).toBe(0)
    expect(said).toBe(`3 types:
  film_notes  /film-notes  0 attributes, film
  films       /films       2 attributes, filmNotes
  shops       /shops       0 attributes

Private columns, because of their names:
  films.token

Omitted parts:
  titles           the table is a view. Add --view titles=<its unique column>
  film_notes.scan  blob holds binary data

3 files were written to ${types('all')}.`)
    expect(readFileSync(join(types('all'), 'films.json'), 'utf8')).toBe(`{
  "kind": "collectionType",
  "collectionName": "films",
  "info": { "singularName": "film", "pluralName": "films", "displayName": "Film" },
  "table": { "id": "film_id" },
  "attributes": {
    "title": { "type": "text", "required": true },
    "token": { "type": "text", "private": true },
    "filmNotes": { "type": "relation", "relation": "oneToMany", "target": "film-note", "mappedBy": "film" }
  }
}
`)
  })

  it('writes new files, and overwrites others only with --force', async () => {
    const folder = types('forced')
    expect((await run('--out', folder, '--tables', 'films')).said).toContain('1 file was written to')
    writeFileSync(join(folder, 'films.json'), '{}')
    const named = `These files already exist. To replace the files, add --force:\n  ${join(folder, 'films.json')}`
    const { code, said } = await run('--out', folder)
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^2 types:[^]*\n2 files were written to /) as unknown,
    ])
    expect(said).toContain(named)
    expect(readFileSync(join(folder, 'films.json'), 'utf8')).toBe('{}')
    expect(await run('--out', folder, '--tables', 'films')).toEqual({
      code: 1,
      said: `Nothing was written. ${named}`,
    })
    expect((await run('--out', folder, '--force')).code).toBe(0)
    expect(readFileSync(join(folder, 'films.json'), 'utf8')).toContain('film_id')
    writeFileSync(join(folder, 'films.json'), '{')
    expect((await run('--out', folder, '--check')).said).toContain(
      `${join(folder, 'films.json')}: SyntaxError`,
    )
  })

  it('keeps names and private attributes of files that --force replaces', async () => {
    const folder = types('kept')
    await run('--out', folder)
    const change = (file: string, ...pairs: readonly (readonly [string, string])[]): void => {
      const text = readFileSync(join(folder, file), 'utf8')
      writeFileSync(
        join(folder, file),
        pairs.reduce((before, [old, now]) => before.replace(old, now), text),
      )
    }
    change(
      'films.json',
      ['"title": { "type": "text"', '"heading": { "type": "string", "columnName": "title", "private": true'],
      ['"filmNotes"', '"notes"'],
      ['"singularName": "film", "pluralName": "films"', '"singularName": "movie", "pluralName": "movies"'],
      ['"mappedBy": "film"', '"mappedBy": "about"'],
      ['"displayName": "Film"', '"displayName": "Film", "description": "All films"'],
    )
    change(
      'film_notes.json',
      ['"film": {', '"about": {'],
      ['"target": "film"', '"target": "movie"'],
      ['"filmNotes"', '"notes"'],
    )
    const { said } = await run('--out', folder, '--force')
    expect(said).toContain(`Names and private attributes from the files:
  film_notes.film  the name about
  films.title      the name heading, private
  films.filmNotes  the name notes
`)
    expect(said).toContain('films       /movies')
    const read = (file: string): object => JSON.parse(readFileSync(join(folder, file), 'utf8')) as object
    expect(read('films.json')).toMatchObject({
      info: { description: 'All films' },
      attributes: {
        heading: { type: 'text', columnName: 'title', private: true },
        notes: { target: 'film-note', mappedBy: 'about' },
      },
    })
    expect(read('film_notes.json')).toMatchObject({
      attributes: { about: { target: 'movie', inversedBy: 'notes' } },
    })
    expect((await run('--out', folder, '--force')).said).toBe(said)
  })

  it('finds a column by the name of its attribute in snake case', async () => {
    await database.raw('create table shifts (id integer primary key, daily_rate integer)')
    const file = join(types('snake'), 'shifts.json')
    await run('--out', types('snake'), '--tables', 'shifts')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"columnName": "daily_rate"', '"private": true'))
    expect((await run('--out', types('snake'), '--tables', 'shifts', '--check')).code).toBe(0)
    const { said } = await run('--out', types('snake'), '--tables', 'shifts', '--force')
    expect(said).toContain('  shifts.dailyRate  private')
    expect(readFileSync(file, 'utf8')).toBe(text.replace('"daily_rate"', '"daily_rate", "private": true'))
    await database.raw('drop table shifts')
  })

  it('relates new files to existing ones', async () => {
    const folder = types('related')
    await run('--out', folder, '--tables', 'films')
    const films = readFileSync(join(folder, 'films.json'), 'utf8')
    const { said } = await run('--out', folder, '--tables', 'film_notes')
    expect(said).toMatch(/^1 type:\n {2}film_notes .* film\n/)
    expect(said).not.toContain('These files exist')
    const notes = JSON.parse(readFileSync(join(folder, 'film_notes.json'), 'utf8')) as Definition
    expect(notes.attributes['film']).toEqual({
      ...{ type: 'relation', relation: 'manyToOne', target: 'film' },
      joinColumn: { name: 'film_id' },
    })
    expect(readFileSync(join(folder, 'films.json'), 'utf8')).toBe(films)
    const loaded = contentRouter({ contentTypes: folder, database, logger: false })
    await loaded.ready()
    await loaded.close()
    expect((await run('--out', folder, '--force')).said).toContain('2 attributes, filmNotes')
  })

  it('writes only the tables of --tables', async () => {
    const { said } = await run(
      '--out',
      types('some'),
      '--tables',
      'film*',
      '--tables',
      'SHOPS,none',
      '--dry-run',
    )
    expect(said).toContain('--tables none: no table name matches the pattern')
    const found = await run('--dry-run', '--tables', 'film_*,shops')
    expect([found.code, found.said.match(/^ {2}\w+ +\//gm)]).toEqual([
      0,
      ['  film_notes  /', '  shops       /'],
    ])
    expect(found.said).toContain('film_notes.film_id  no relation, because the router does not serve films')
  })

  it('prints the files with --dry-run, and writes nothing', async () => {
    const { code, said } = await run('--out', types('dry'), '--dry-run')
    expect([code, existsSync(types('dry'))]).toEqual([0, false])
    expect(said).toContain(`${join(types('dry'), 'shops.json')}\n{\n  "kind": "collectionType",`)
  })

  it('writes a view with a unique column', async () => {
    expect((await run('--out', types('views'), '--view', 'titles=film_id', '--tables', 'shops')).code).toBe(0)
    expect(JSON.parse(readFileSync(join(types('views'), 'titles.json'), 'utf8'))).toMatchObject({
      collectionName: 'titles',
      table: { id: 'film_id' },
      attributes: { title: { type: 'text' } },
    })
    expect((await run('--view', 'titles=nope', '--dry-run')).said).toContain(
      '--view titles=nope: the view titles has no column nope (use one of the columns film_id, title)',
    )
    expect((await run('--view', 'nope=film_id', '--dry-run')).said).toContain('the database has no view nope')
    expect((await run('--view', 'titles')).code).toBe(2)
  })

  it('compares the files with the database with --check', async () => {
    const folder = types('checked')
    await run('--out', folder)
    expect(await run('--out', folder, '--check')).toEqual({
      code: 0,
      said: 'The definitions match the database.',
    })
    const films = join(folder, 'films.json')
    const definition = JSON.parse(readFileSync(films, 'utf8')) as { attributes: Record<string, object> }
    const { title, ...attributes } = definition.attributes
    // Names and privacy are choices of the author.
    const renamed = { ...title, columnName: 'title', private: true }
    const other = { name: { ...renamed, type: 'string' }, gone: { type: 'text', columnName: 'old' } }
    writeFileSync(films, JSON.stringify({ ...definition, attributes: { ...attributes, name: renamed } }))
    expect((await run('--out', folder, '--check')).code).toBe(0)
    writeFileSync(films, JSON.stringify({ ...definition, table: {}, attributes: other }))
    expect(await run('--out', folder, '--check', '--tables', 'films')).toEqual({
      code: 1,
      said: [
        'table.id is "film_id", and the file has absent',
        'column title: type is "text", and the file has "string"',
        'the file does not have the column token',
        'the database does not have the column old',
      ]
        .map((difference) => `${films}: ${difference}`)
        .join('\n'),
    })
    const relations = {
      shop: { type: 'relation', relation: 'manyToOne', target: 'article', joinColumn: { name: 'title' } },
      owner: { type: 'relation', relation: 'manyToOne', target: 'film', joinColumn: { name: 'owner_id' } },
      shops: { type: 'relation', relation: 'manyToMany', target: 'film', joinTable: { name: 'shops' } },
      gone: { type: 'relation', relation: 'manyToMany', target: 'film', joinTable: { name: 'gone' } },
      articles: { type: 'relation', relation: 'oneToMany', target: 'article', mappedBy: 'film' },
    }
    writeFileSync(films, JSON.stringify({ ...definition, attributes: { ...attributes, ...relations } }))
    expect((await run('--out', folder, '--check')).said).toBe(
      `${films}: the database does not have the column owner_id\n${films}: the database does not have the join table gone`,
    )
    expect((await run('--out', types('nowhere'), '--check', '--tables', 'shops')).said).toBe(
      `${join(types('nowhere'), 'shops.json')}: the file does not exist`,
    )
  })

  it('rejects words that belong to other commands, and combinations without a meaning', async () => {
    for (const words of [['--check', '--force'], ['--content-types', 'a'], ['--role', 'b'], ['--strapi5=c']])
      expect((await run(...words)).code).toBe(2)
    const { code, said } = await run('--schema', 'public')
    expect([code, said]).toEqual([1, expect.stringContaining('only PostgreSQL has schemas') as unknown])
  })

  it('does not open a missing file', async () => {
    const lines: string[] = []
    const print = (text: string): unknown => lines.push(text)
    const missing = types('missing.db')
    expect(await runCommand(['introspect', '--connection', missing], { print, complain: print })).toBe(1)
    expect([lines.join(), existsSync(missing)]).toEqual([expect.stringContaining(missing) as unknown, false])
  })
})

describe('content-router start --connection in a folder without a project', () => {
  const { path } = projectFolder()
  const file = join(path, 'films.db')

  it('serves the tables, and writes nothing', async () => {
    const database = knex({
      client: 'better-sqlite3',
      connection: { filename: file },
      useNullAsDefault: true,
    })
    const columns = Array.from({ length: 9 }, (_, place) => `scan${String(place)} blob`)
    await database.raw('create table languages (language_id integer primary key, name text, token text)')
    await database.raw(
      `create table films (id integer primary key, title text, language_id int references languages, ${columns.join(', ')})`,
    )
    await database('languages').insert({ language_id: 7, name: 'Danish', token: 'hidden' })
    await database('films').insert({ id: 1, title: 'Dawn', language_id: 7 })
    await database.destroy()
    const site = await started(['--connection', 'films.db'], { cwd: path })
    try {
      expect(await (await fetch(`${site.at}/api/films?populate=language`)).json()).toMatchObject({
        data: [
          { id: 1, documentId: '1', title: 'Dawn', language: { id: 7, documentId: '7', name: 'Danish' } },
        ],
      })
      expect(await (await fetch(`${site.at}/api/languages?populate=films`)).text()).not.toContain('hidden')
      expect((await fetch(`${site.at}/explorer/`)).status).toBe(200)
      expect(site.said()).toContain('films.scan7: blob holds binary data')
      expect(site.said()).toContain('… and 1 more: content-router introspect --dry-run lists all')
      expect(site.said()).toContain('Private columns, because of their names:\n    languages.token')
    } finally {
      await site.stop()
    }
    expect(readdirSync(path)).toEqual(['films.db'])
  })

  it('serves tables whose names Strapi has for others', async () => {
    const database = knex({
      ...{
        client: 'better-sqlite3',
        connection: { filename: join(path, 'names.db') },
        useNullAsDefault: true,
      },
    })
    for (const table of ['users', 'roles', 'files', 'admin_users', 'locales'])
      await database.raw(`create table ${table} (id integer primary key, name text)`)
    await database.raw('create table "Order Details" (id integer primary key, file int references files)')
    await database('files').insert({ id: 1, name: 'letter' })
    await database('Order Details').insert({ id: 7, file: 1 })
    await database.destroy()
    const site = await started(['--connection', 'names.db'], { cwd: path })
    try {
      for (const route of ['users', 'roles', 'admin-users', 'locales'])
        expect(await (await fetch(`${site.at}/api/${route}`)).json()).toMatchObject({ data: [] })
      expect(await (await fetch(`${site.at}/api/order-details?populate=file`)).json()).toMatchObject({
        data: [{ id: 7, file: { id: 1, name: 'letter' } }],
      })
    } finally {
      await site.stop()
    }
  })

  it('names the tables that prevent a start', async () => {
    const database = knex({
      client: 'better-sqlite3',
      connection: { filename: join(path, 'logs.db') },
      useNullAsDefault: true,
    })
    await database.raw('create table logs (line text)')
    await database.destroy()
    expect(await ended(['--connection', 'logs.db'], { cwd: path })).toEqual({
      code: 1,
      said: 'The router cannot serve any table of this database:\n  logs: the table has no primary key and no unique column\n',
    })
  })
})

describe('a database of Strapi', () => {
  it('is refused, as its definitions exist', async () => {
    await expect(
      introspected(['create table strapi_core_store_settings (id integer primary key)']),
    ).rejects.toThrow(/Strapi created tables of this database[^]*src\/api/)
  })

  it('leaves out tables that migrate created or adopted', async () => {
    const { definitions, unserved } = await introspected([
      'create table content_router_tables (name varchar(255) primary key)',
      `insert into content_router_tables values ('articles'), ('articles_author_lnk')`,
      ...['articles', 'articles_author_lnk', 'films'].map(
        (table) => `create table ${table} (id integer primary key)`,
      ),
    ])
    expect([...definitions.keys()]).toEqual(['films'])
    expect(unserved.slice(0, 2)).toEqual(
      ['articles', 'articles_author_lnk'].map((place) => ({
        ...{ place, reason: 'content-router migrate created the table' },
      })),
    )
  })

  it('is not meant by tables of content-router and of migration tools', async () => {
    const { definitions, unserved } = await introspected(
      ['content_router_tables', 'knex_migrations', 'SequelizeMeta', 'films'].map(
        (table) => `create table ${table} (id integer primary key)`,
      ),
    )
    expect([...definitions.keys()]).toEqual(['films'])
    expect(unserved.map(({ place }) => place)).toEqual([
      'SequelizeMeta',
      'content_router_tables',
      'knex_migrations',
    ])
  })
})
