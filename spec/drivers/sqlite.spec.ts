import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { nodeSqlite } from '../../tools/start/node-sqlite'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase, type World } from '../support/databases'
import { collection, integer, library, relation, text } from '../support/library'
import { bringsSqlite, byNodeItself } from '../support/node-sqlite'
import { stocked } from '../support/served'

const path = '/api/books?populate=author'

const fileOf = ({ connection }: Knex.Config): string => (connection as { filename: string }).filename

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(JSON.parse(body)).toMatchObject({ data: null, error: { name: 'ServiceUnavailableError' } })
}

function expectServed({ status, body }: Answer): void {
  expect([status, body]).toEqual([200, expect.stringContaining('Ada')])
}

describeOn(['sqlite'])('a file of %s', (name) => {
  const database = testDatabase(name)
  const askers: Asker[] = []

  async function filled(world: World): Promise<void> {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] })
  }

  async function serve(
    world: World,
    options: Partial<ContentRouterConfig> = {},
    others: object = {},
  ): Promise<Asker> {
    const connection = { filename: fileOf(world.config), ...others }
    const router = world.closing(
      contentRouter({
        contentTypes: library,
        database: { ...world.config, connection },
        permissions: { public: { find: '*' } },
        ...options,
      }),
    )
    const app = express().use('/api', router)
    app.get('/other', (_req, res) => res.json('other'))
    const asker = await askerOf(app)
    askers.push(asker)
    return asker
  }

  afterAll(() => Promise.all(askers.map((asker) => asker.close())))

  describe('that is read-only', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    it.each(['delete', 'wal'])('is served with the journal mode %s', async (mode) => {
      await world.knex.raw(`pragma journal_mode = ${mode}`)
      const { ask } = await serve(world, {}, { options: { readonly: true } })
      expectServed(await ask(path))
      expectServed(await ask(`${path}&sort=title`))
    })
  })

  describe('that a writer locks', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    function lock(): () => void {
      const writer = new Sqlite(fileOf(world.config))
      writer.exec('begin exclusive')
      return () => {
        writer.exec('rollback')
        writer.close()
      }
    }

    it('delays its requests, and no other request of the process', async () => {
      const { ask } = await serve(world)
      expectServed(await ask(path))
      const unlock = lock()
      let isAnswered = false
      const waiting = ask(path).finally(() => {
        isAnswered = true
      })
      for (let count = 0; count < 5; count += 1) expect((await ask('/other')).status).toBe(200)
      expect(isAnswered).toBe(false)
      unlock()
      expectServed(await waiting)
    })

    it('delays the first request as well', async () => {
      const unlock = lock()
      const { ask } = await serve(world)
      const waiting = ask(path)
      expect((await ask('/other')).status).toBe(200)
      unlock()
      expectServed(await waiting)
    })

    it('is a 503 after the timeout', async () => {
      const { ask } = await serve(world, { timeout: 2000 })
      expectServed(await ask(path))
      const unlock = lock()
      expectUnavailable(await ask(path))
      unlock()
      expectServed(await ask(path))
    })
  })

  describe('in WAL mode, in a folder without room for another file', () => {
    const world = database.fresh()

    it('is a 503 until there is room', async () => {
      await filled(world)
      const writer = new Sqlite(fileOf(world.config))
      writer.pragma('journal_mode = wal')
      writer.close()
      // A folder in the place of the file: permissions would not stop root.
      const inTheWay = `${fileOf(world.config)}-wal`
      mkdirSync(inTheWay)
      const { ask } = await serve(world)
      const refused = await ask(path)
      rmdirSync(inTheWay)
      expectUnavailable(refused)
      expectServed(await ask(path))
    })
  })

  describe('that is replaced while it is served', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    it('is a 503 while it is no database, and served again afterwards', async () => {
      const file = fileOf(world.config)
      const content = readFileSync(file)
      const { ask } = await serve(world)
      expectServed(await ask(path))
      writeFileSync(file, Buffer.alloc(content.length, 'x'))
      expectUnavailable(await ask(path))
      writeFileSync(file, content)
      expectServed(await ask(path))
    })

    it('is still served after it was moved away', async () => {
      const file = fileOf(world.config)
      const { ask } = await serve(world)
      expectServed(await ask(path))
      renameSync(file, `${file}.gone`)
      expectServed(await ask(path))
      renameSync(`${file}.gone`, file)
      expectServed(await ask(path))
    })
  })
})

const lampTypes = [
  collection('lamp', {
    name: text,
    on: { type: 'boolean' },
    volts: integer,
    turns: { type: 'biginteger' },
    turnedAt: { type: 'datetime' },
    data: { type: 'json' },
    room: relation('manyToOne', 'room', { inversedBy: 'lamps' }),
  }),
  collection('room', { name: text, lamps: relation('oneToMany', 'lamp', { mappedBy: 'room' }) }),
] as unknown as ContentRouterConfig['contentTypes']

const lamps = {
  room: [{ $ref: 'hall', name: 'Hall' }],
  lamp: [
    {
      name: 'a',
      on: false,
      volts: 12,
      turns: '9007199254740993',
      turnedAt: '2024-05-31T09:30:00.000Z',
      data: 7,
      room: 'hall',
    },
    { name: 'b', on: true, volts: null, turns: '1', turnedAt: null, data: { of: [1] }, room: 'hall' },
  ],
}

interface FileSession {
  defaultSafeIntegers(on: boolean): unknown
}

type Done = (error: unknown, connection: unknown) => void

const afterCreate = (connection: unknown, done: Done): void => {
  ;(connection as FileSession).defaultSafeIntegers(true)
  done(null, connection)
}

describeOn(['sqlite'])('a connection of %s that returns big integers', (name) => {
  const { world, serve } = stocked(testDatabase(name), lampTypes, lamps)

  const asked = [
    'lamps?sort=name&populate=*&filters[name][$containsi]=A',
    'rooms?populate[lamps][sort]=name&populate[lamps][populate]=room',
    'rooms?populate[lamps][count]=true',
    'lamps?filters[room][name]=Hall&filters[on]=false&pagination[pageSize]=1',
  ]
  async function expectTheSame(database: Knex | Knex.Config): Promise<void> {
    const plain = serve()
    const other = serve({ database, etag: true })
    for (const path of asked) {
      const { status, text } = await other.get(path)
      expect([status, text]).toEqual([200, (await plain.get(path)).text])
      expect((await other.get(path)).text).toBe(text)
    }
    expect(await other.values('lamps?sort=name', 'on')).toEqual([false, true])
    expect(await other.values('lamps?sort=name', 'turns')).toEqual(['9007199254740993', '1'])
  }

  it('changes no response in the pool of the router', () =>
    expectTheSame({ ...world.config, pool: { afterCreate } }))

  it('changes no response in a Knex instance', async () => {
    const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1, afterCreate } })
    world.closing({ close: () => knex.destroy() })
    await expectTheSame(knex)
  })
})

const itemTypes = [
  collection('item', { title: text, kind: text, hidden: { type: 'boolean' } }),
] as unknown as ContentRouterConfig['contentTypes']

/** SQLite stores it as an integer in a column of the type "string", and no double holds it. */
const digits = '90071992547409931'

const permissions = {
  public: { find: { item: { where: { hidden: false } } } },
  some: { find: { item: { where: { hidden: false }, fields: ['kind'] } } },
  more: { find: { item: { where: { kind: 'b' } } } },
} as const

describe('the SQLite of Node itself', () => {
  it('is used from Node 22.16 on', () => {
    expect(nodeSqlite() !== null).toBe(bringsSqlite)
  })
})

describeOn(['sqlite'])('an integer in a text column of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), itemTypes, {
    item: [
      { title: 'Abc', kind: 'a', hidden: false },
      { title: digits, kind: 'b', hidden: true },
    ],
  })

  beforeAll(async () => {
    await world.knex.raw('alter table items rename column title to before')
    await world.knex.raw('alter table items add column title string')
    await world.knex.raw('update items set title = before')
    const stored = world.knex('items').where('kind', 'b').select(world.knex.raw('typeof(title) as type'))
    expect(await stored).toEqual([{ type: 'integer' }])
  })

  const drivers = [
    ['better-sqlite3', () => world.config],
    ...(bringsSqlite
      ? ([['Node itself', () => world.closing(closed(byNodeItself(world.config)))]] as const)
      : []),
  ] as const

  function closed<T extends { destroy(): Promise<void> }>(knex: T): T & { close(): Promise<void> } {
    return Object.assign(knex, { close: () => knex.destroy() })
  }

  describe.each(drivers)('read by %s', (_driver, database) => {
    const kinds = (path: string, role = 'public'): Promise<unknown[]> =>
      serve({ database: database(), permissions }).values(path, 'kind', role)

    it.each(['$containsi', '$eqi', '$startsWithi', '$contains', '$eq'])(
      'is no failure if a rule hides it: %s',
      async (operator) => {
        expect(await kinds(`items?filters[title][${operator}]=Abc`)).toEqual(['a'])
        expect(await kinds(`items?filters[title][${operator}]=${digits}`)).toEqual([])
      },
    )

    it('is no failure in a search, nor for a role with another rule', async () => {
      expect(await kinds('items?_q=abc')).toEqual(['a'])
      expect(await kinds('items?sort=kind', 'some,more')).toEqual(['a', 'b'])
    })

    it('is found by its digits', async () => {
      expect(await kinds('items?filters[title][$containsi]=40993', 'more')).toEqual(['b'])
    })
  })
})

const feeTypes = [
  collection('fee', {
    name: text,
    whole: integer,
    big: { type: 'biginteger' },
    float: { type: 'float' },
    exact: { type: 'decimal' },
    paid: { type: 'boolean' },
    due: { type: 'datetime' },
    told: { type: 'timestamp' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

const columns = ['whole', 'big', 'float', 'exact', 'paid', 'due', 'told'] as const
const texts = [
  '',
  ' ',
  '\t',
  '0x10',
  'a "b" \\ c',
  'Infinity',
  'false',
  '1,"paid":true',
  'null',
  '\ud83d\ude00',
]

const all = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(columns.map((column) => [column, value]))

const showing = columns.map((column, at) => `fields[${String(at)}]=${column}`).join('&')

/** The other databases refuse to store it. */
describeOn(['sqlite'])('a text in a number column of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), feeTypes, { fee: [{ name: 'one' }, { name: 'two' }] })

  async function shown(value: unknown, options: Partial<ContentRouterConfig> = {}): Promise<unknown> {
    await world.knex('fees').where({ name: 'one' }).update(all(value))
    const [entry] = await serve(options).list(`fees?filters[name]=one&${showing}`)
    return entry
  }

  it.each(texts)('is shown as the text %j, and as null for an instant', async (value) => {
    expect(await shown(value)).toMatchObject({ ...all(value), due: null, told: null })
  })

  it('is shown as text if it is stored as bytes', async () => {
    expect(await shown(Buffer.from('0x10'))).toMatchObject({ whole: '0x10', float: '0x10', exact: '0x10' })
  })

  it.each([
    ['', { whole: 0, float: 0, exact: 0, paid: null, big: '' }],
    ['0x10', { whole: 16, float: 16, exact: 16, paid: null, big: '0x10' }],
    ['one', { whole: null, float: null, exact: null, paid: null, big: 'one' }],
  ])('%j is shown as Strapi shows it with strapi5', async (value, wanted) => {
    expect(
      await shown(value, { extensions: [{ name: 'artefacts', defaults: { loadingArtefacts: true } }] }),
    ).toMatchObject({ ...wanted, due: null, told: null })
  })

  it('is sorted after all numbers, and equals none', async () => {
    await shown('0x10')
    await world.knex('fees').where({ name: 'two' }).update({ whole: 16 })
    const { values } = serve()
    expect(await values('fees?sort=whole', 'whole')).toEqual([16, '0x10'])
    expect(await values('fees?filters[whole]=16', 'name')).toEqual(['two'])
  })

  it('leaves numbers as they are', async () => {
    const numbers = { whole: -7, big: '9007199254740993', float: 1.5e300, exact: 0.25, paid: 0, due: 5 }
    await world.knex('fees').where({ name: 'two' }).update(numbers)
    expect(await serve().list(`fees?filters[name]=two&${showing}`)).toMatchObject([
      { ...numbers, paid: false, due: '1970-01-01T00:00:00.005Z' },
    ])
  })
})
