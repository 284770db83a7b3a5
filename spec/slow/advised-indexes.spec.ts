import { type ContentRouterConfig, migrate } from '../../lib'
import { runAdvise } from '../../tools/command/run-advise'
import { describeOn, testDatabase } from '../support/databases'
import { collection, integer, text } from '../support/library'

const contentTypes = [
  collection(
    'event',
    { customer: integer, at: { type: 'datetime' }, day: { type: 'date' }, title: text, code: text },
    { drafts: true },
  ),
  {
    ...collection('film', { minutes: integer, name: text }),
    table: { existing: true, id: 'id' },
  },
] as unknown as ContentRouterConfig['contentTypes']

const names = ['sqlite', 'mariadb', 'mysql', 'postgres'] as const
type Name = (typeof names)[number]

/** A query, an index of the application, and true if the query needs no other. */
type Case = readonly [query: string, index: string, isServed: boolean]

const byCustomer = 'filters[customer]=7&sort=at:desc'
const ordered: Readonly<Record<'plain' | 'nulls', readonly Case[]>> = {
  plain: [
    [`events?${byCustomer}`, 'on events (customer, at desc, id)', true],
    [`events?${byCustomer}`, 'on events (customer desc, at desc)', true],
    [`events?${byCustomer}`, 'on events (customer, at)', false],
    ['events?sort=at:desc,id:desc', 'on events (at, id)', true],
    ['events?sort=at', 'on events (at, id)', true],
    ['events?sort=at', 'on events (customer, at)', false],
  ],
  nulls: [
    [`events?${byCustomer}`, 'on events (customer, at desc nulls last, id)', true],
    [`events?${byCustomer}`, 'on events (customer desc, at desc nulls last)', true],
    [`events?${byCustomer}`, 'on events (customer, at desc, id)', false],
    ['events?sort=at:desc,id:desc', 'on events (at nulls first, id)', true],
    ['events?sort=at', 'on events (at nulls first, title)', true],
    ['events?sort=at', 'on events (at)', false],
  ],
}
const equal: readonly Case[] = [
  ['events?filters[code]=a&filters[day]=2026-01-01&sort=at', 'on events (day, code)', false],
  ['events?filters[code]=a', 'on events (code)', true],
  ['events?filters[code]=a', 'on events (title, code)', false],
  ['events?filters[code]=a&filters[day]=2026-01-01', 'on events (day, code)', true],
]
const published: Case = ['events?filters[code]=a', 'on events (code) where published_at is not null', true]
const partial: Case = ['events?filters[code]=a', 'on events (code) where customer > 3', false]
const mysql: readonly Case[] = [
  ['events?filters[code]=a', 'on events (code(20))', true],
  ['events?sort=at', 'on events (at, title)', false],
  ['films?sort=minutes', 'on films (minutes)', true],
]
const cases: Readonly<Record<Name, readonly Case[]>> = {
  sqlite: [
    ...[...ordered.plain, ...equal, published, partial],
    ['events?sort=title', 'on events (title collate nocase)', false],
    ['events?sort=title', 'on events (title, customer)', true],
    ['events?sort=title', 'on events (lower(title))', false],
  ],
  mariadb: [...ordered.plain, ...equal, ...mysql],
  mysql: [...ordered.plain, ...equal, ...mysql],
  postgres: [
    ...[...ordered.nulls, ...equal, published, partial],
    ['events?sort=title', 'on events (title nulls first)', false],
    ['events?sort=title', 'on events (title collate "C" nulls first)', true],
    ['events?sort=title', 'on events (title collate "C" text_pattern_ops nulls first)', false],
    ['events?filters[code]=a', 'on events using hash (code)', false],
    ['events?filters[code]=a', 'on events (id) include (code)', false],
    ['films?sort=name', 'on films (name nulls first)', true],
    ['films?filters[minutes]=90', 'on films ((minutes::numeric))', true],
    ['films?filters[minutes]=90', 'on films (minutes)', false],
  ],
}

describeOn(names)('content-router advise compares indexes by what they index on %s', (name) => {
  const { dialect, ...database } = testDatabase(name)
  const world = database.fresh()
  const drop = (index: string, table: string): Promise<unknown> =>
    world.knex.raw(`drop index ${index}${dialect === 'mysql' ? ` on ${table}` : ''}`)

  beforeAll(async () => {
    const collation = dialect === 'postgres' ? ' collate "C"' : ''
    await world.knex.raw(
      `create table films (id integer not null primary key, minutes integer, name varchar(100)${collation})`,
    )
    await migrate({ contentTypes, database: world.config })
    const rows = Array.from({ length: 1200 }, (_, n) => ({ document_id: String(n), customer: n, code: 'a' }))
    await world.knex.batchInsert('events', rows, 100)
    const films = rows.map((_, n) => ({ id: n + 1, minutes: n }))
    await world.knex.batchInsert('films', films, 100)
    if (dialect === 'postgres') await world.knex.raw('analyze')
  }, 60_000)

  const advise = async (query: string, applies = false): Promise<string> => {
    const printed: string[] = []
    const output = { print: (line: string) => printed.push(line), complain: () => undefined }
    const textMatching = dialect === 'mysql' ? 'database' : 'exact'
    const config = { contentTypes, database: world.config, logger: false, textMatching } as const
    const queries = [`${query}&pagination[withCount]=false`]
    expect(await runAdvise(config, { queries, log: null, role: null, asker: {}, applies }, output)).toBe(0)
    return printed.join('\n')
  }

  it.each(cases[name])('%s with an index %s: served is %s', async (query, index, isServed) => {
    const table = query.split('?')[0] ?? ''
    expect(await advise(query)).toMatch(/^create index /m)
    await world.knex.raw(`create index mine ${index}`)
    const printed = await advise(query).finally(() => drop('mine', table))
    expect(/^create index /m.test(printed)).toBe(!isServed)
    expect(printed.includes('No index is missing.')).toBe(isServed)
  })

  it('gives the index another name, if an index of other columns has the name', async () => {
    const nameIn = (printed: string): string =>
      /^create index \D*?["`](\w+)["`] on/m.exec(printed)?.[1] ?? printed
    const query = 'events?sort=at&filters[customer][$gte]=1&filters[customer][$lt]=9'
    const wanted = nameIn(await advise(query))
    expect(wanted).toMatch(/^cr_events_at/)
    await world.knex.raw(`create index ${wanted} on events (customer)`)
    expect(nameIn(await advise(query, true))).toBe(`${wanted}_2`)
    // SQLite uses the index of customers, and so none is missing for the sort.
    expect(await advise(query)).not.toMatch(/^create index /m)
    await drop(wanted, 'events')
    await drop(`${wanted}_2`, 'events')
  })
})

describeOn(['postgres'])('content-router advise on %s', (name) => {
  const world = testDatabase(name).fresh()
  const advise = async (query: string, applies = false): Promise<string> => {
    const printed: string[] = []
    const output = { print: (line: string) => printed.push(line), complain: () => undefined }
    const config = { contentTypes, database: world.config, logger: false } as const
    const queries = [`${query}&pagination[withCount]=false`]
    await runAdvise(config, { queries, log: null, role: null, asker: {}, applies }, output)
    return printed.join('\n')
  }
  beforeAll(async () => {
    await world.knex.raw('create table films (id integer not null primary key, minutes integer, name text)')
    await migrate({ contentTypes, database: world.config })
    const published_at = new Date(0)
    const day = '2026-01-01'
    const rows = Array.from({ length: 3000 }, (_, n) => ({ document_id: String(n), day, published_at }))
    await world.knex.batchInsert('events', rows, 500)
    await world.knex.raw('analyze')
  }, 60_000)

  it('reports an invalid index, as a cancelled creation leaves it', async () => {
    await world.knex.raw(`update events set customer = 7`)
    const creating = world.knex.raw('create unique index concurrently mine on events (customer)')
    await expect(creating).rejects.toThrow('could not create unique index')
    const printed = await advise('events?filters[customer]=7', true)
    expect(printed).toContain(
      '-- The index mine is invalid: its creation failed, or still runs. If it failed, drop the index, and run advise again.',
    )
    expect(printed).not.toMatch(/^create index|No index is missing/m)
    await world.knex.raw('drop index mine')
    expect(await advise('events?filters[customer]=7')).toMatch(
      /^create index concurrently "cr_events_customer"/m,
    )
  })

  it('says that a query does not use its new index', async () => {
    const printed = await advise('events?filters[day][$gte]=2025-01-01', true)
    expect(printed).toContain('The database uses an index only if few rows are in the range.')
    expect(printed).toContain(
      'This query does not use the index cr_events_day. If no other query needs the index, drop it.',
    )
    expect(await advise('events?sort=at', true)).not.toContain('does not use')
  })
})
