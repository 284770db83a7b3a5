import express from 'express'
import { contentRouter } from '../../lib'
import { openDatabase } from '../../lib/database'
import { introspect, type Introspection } from '../../tools/introspect'
import { type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase } from '../support/databases'

type ServerName = 'mariadb' | 'mysql' | 'postgres'

/** The words of each server for the columns of the same tables. */
interface Words {
  readonly bigKey: string
  readonly uuid: string
  readonly mood: string
  readonly real: string
  readonly boolean: string
  readonly zoned: string
  readonly instant: string
  readonly document: string
  readonly binary: string
  readonly binaryName: string
  readonly others: string
}

const mysqlWords: Words = {
  bigKey: 'bigint unsigned not null auto_increment',
  uuid: 'char(36)',
  mood: `enum('calm', 'it''s Fine')`,
  real: 'double',
  boolean: 'tinyint(1)',
  zoned: 'timestamp',
  instant: 'datetime(6)',
  document: 'json',
  binary: 'varbinary(16)',
  binaryName: 'varbinary(16)',
  others: `levels set('a', 'b'), born_in year, size int unsigned, width mediumint unsigned, flag bit(1), mask bit(8)`,
}

const words: Readonly<Record<ServerName, Words>> = {
  mysql: mysqlWords,
  mariadb: { ...mysqlWords, uuid: 'uuid' },
  postgres: {
    bigKey: 'bigserial not null',
    uuid: 'uuid',
    mood: 'mood',
    real: 'real',
    boolean: 'boolean',
    zoned: 'timestamptz',
    instant: 'timestamp',
    document: 'jsonb',
    binary: 'bytea',
    binaryName: 'bytea',
    others: `levels text[], born_in year_of_birth, size money, width interval, flag inet, mask tsvector`,
  },
}

function statementsFor(name: ServerName): readonly string[] {
  const word = words[name]
  const types = [
    `create type mood as enum ('calm', 'it''s Fine')`,
    `create domain year_of_birth as integer check (value > 1900)`,
  ]
  return [
    ...(name === 'postgres' ? types : []),
    `create table people (
      id ${word.bigKey}, name varchar(40) not null, nick char(8) unique, mood ${word.mood} not null, born date,
      wakes_at time, balance decimal(12, 2), score ${word.real}, active ${word.boolean} not null, notes text,
      extra ${word.document}, photo ${word.binary}, "passwordHash" varchar(80), locale varchar(10), ${word.others},
      mentor_id bigint${name === 'postgres' ? '' : ' unsigned'}, created_at ${word.zoned} null,
      "updatedAt" ${word.instant} null, seen ${word.zoned} null, primary key (id),
      foreign key (mentor_id) references people (id))`,
    `create table cities (
      code varchar(3) not null, name varchar(40) not null, country varchar(2) not null, primary key (code),
      unique (country, name))`,
    `create table trips (
      trip_key ${word.uuid} not null, from_city varchar(3) not null, to_city varchar(3), guide_id ${
        name === 'postgres' ? 'bigint' : 'bigint unsigned'
      }, guide varchar(20), seats smallint, primary key (trip_key), foreign key (from_city) references cities (code),
      foreign key (to_city) references cities (code), foreign key (guide_id) references people (id))`,
    `create table "trip guests" (
      trip_key ${word.uuid} not null, person_id ${
        name === 'postgres' ? 'bigint' : 'bigint unsigned'
      } not null, position int, joined_at ${word.instant} null,
      primary key (trip_key, person_id), foreign key (trip_key) references trips (trip_key),
      foreign key (person_id) references people (id))`,
    `create table stops (
      trip_key ${word.uuid} not null, number int not null, city varchar(3), primary key (trip_key, number),
      foreign key (trip_key) references trips (trip_key), foreign key (city) references cities (code))`,
    `create table visits (
      id ${name === 'postgres' ? 'int' : 'int unsigned'} not null, trip_key ${word.uuid}, number int, nick char(8), country varchar(2), name varchar(40),
      primary key (id), foreign key (trip_key, number) references stops (trip_key, number),
      foreign key (nick) references people (nick), foreign key (country, name) references cities (country, name))`,
    `create table passports (
      person_id ${name === 'postgres' ? 'bigint' : 'bigint unsigned'} not null, number varchar(20) not null unique,
      primary key (person_id), foreign key (person_id) references people (id))`,
    `create table knex_migrations (id int not null, primary key (id))`,
    `create view grown_up as select id, name from people where active = ${name === 'postgres' ? 'true' : '1'}`,
  ]
}

const relation = (kind: string, target: string, more: object): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
})

/** Attributes of the columns that differ by the server. */
const otherAttributes: Readonly<Record<ServerName, object>> = {
  postgres: {
    levels: { type: 'json' },
    bornIn: { type: 'integer', columnName: 'born_in' },
    size: { type: 'string' },
    width: { type: 'string' },
    flag: { type: 'string' },
  },
  ...(() => {
    const ofMysql = {
      levels: { type: 'string' },
      bornIn: { type: 'integer', columnName: 'born_in' },
      size: { type: 'biginteger' },
      width: { type: 'integer' },
      flag: { type: 'boolean' },
    }
    return { mysql: ofMysql, mariadb: ofMysql }
  })(),
}

const people = (name: ServerName): object => ({
  kind: 'collectionType',
  collectionName: 'people',
  info: { singularName: 'person', pluralName: 'people', displayName: 'Person' },
  table: {
    id: { name: 'id', type: 'biginteger' },
    createdAt: { name: 'created_at', type: 'timestamp' },
    updatedAt: 'updatedAt',
  },
  attributes: {
    name: { type: 'string', required: true },
    nick: { type: 'string', unique: true },
    mood: { type: 'enumeration', enum: ['calm', `it's Fine`], required: true },
    born: { type: 'date' },
    wakesAt: { type: 'time', columnName: 'wakes_at' },
    balance: { type: 'decimal' },
    score: { type: 'float' },
    active: { type: 'boolean', required: true },
    notes: { type: 'text' },
    extra: { type: 'json' },
    passwordHash: { type: 'string', columnName: 'passwordHash', private: true },
    personLocale: { type: 'string', columnName: 'locale' },
    ...otherAttributes[name],
    mentor: relation('manyToOne', 'person', { inversedBy: 'people', joinColumn: { name: 'mentor_id' } }),
    seen: { type: 'timestamp' },
    trips: relation('manyToMany', 'trip', { mappedBy: 'people' }),
    passport: relation('oneToOne', 'passport', { mappedBy: 'person' }),
    people: relation('oneToMany', 'person', { mappedBy: 'mentor' }),
    tripsByGuideId: relation('oneToMany', 'trip', { mappedBy: 'guideId' }),
  },
})

const cities = {
  kind: 'collectionType',
  collectionName: 'cities',
  info: { singularName: 'city', pluralName: 'cities', displayName: 'City' },
  table: { id: { name: 'code', type: 'string' } },
  attributes: {
    name: { type: 'string', required: true },
    country: { type: 'string', required: true },
    tripsByFromCity: relation('oneToMany', 'trip', { mappedBy: 'fromCity' }),
    tripsByToCity: relation('oneToMany', 'trip', { mappedBy: 'toCity' }),
  },
}

const trips = (name: ServerName): object => ({
  kind: 'collectionType',
  collectionName: 'trips',
  info: { singularName: 'trip', pluralName: 'trips', displayName: 'Trip' },
  table: { id: { name: 'trip_key', type: name === 'mysql' ? 'string' : 'uuid' } },
  attributes: {
    fromCity: relation('manyToOne', 'city', {
      inversedBy: 'tripsByFromCity',
      joinColumn: { name: 'from_city' },
    }),
    toCity: relation('manyToOne', 'city', { inversedBy: 'tripsByToCity', joinColumn: { name: 'to_city' } }),
    guideId: relation('manyToOne', 'person', {
      inversedBy: 'tripsByGuideId',
      joinColumn: { name: 'guide_id' },
    }),
    guide: { type: 'string' },
    seats: { type: 'integer' },
    people: relation('manyToMany', 'person', {
      inversedBy: 'trips',
      joinTable: {
        name: 'trip guests',
        joinColumn: { name: 'trip_key' },
        inverseJoinColumn: { name: 'person_id' },
        orderColumn: { name: 'position' },
      },
    }),
  },
})

const visits = {
  kind: 'collectionType',
  collectionName: 'visits',
  info: { singularName: 'visit', pluralName: 'visits', displayName: 'Visit' },
  table: {},
  attributes: {
    tripKey: { type: 'string', columnName: 'trip_key' },
    number: { type: 'integer' },
    nick: { type: 'string' },
    country: { type: 'string' },
    name: { type: 'string' },
  },
}

const passports = {
  kind: 'collectionType',
  collectionName: 'passports',
  info: { singularName: 'passport', pluralName: 'passports', displayName: 'Passport' },
  table: { id: { name: 'person_id', type: 'biginteger' } },
  attributes: {
    person: relation('oneToOne', 'person', {
      inversedBy: 'passport',
      joinColumn: { name: 'person_id' },
    }),
    number: { type: 'string', required: true, unique: true },
  },
}

const trip = '0b0e4a52-64b1-4f5d-8f5e-0c63bca3a001'

const all = { schema: null, tables: [], views: new Map<string, string>() }

describeOn(['mariadb', 'mysql', 'postgres'])('introspecting a database on %s', (name) => {
  const world = testDatabase(name).fresh()
  let found: Introspection

  beforeAll(async () => {
    const quote = name === 'postgres' ? '"' : '`'
    for (const statement of statementsFor(name)) await world.knex.raw(statement.replaceAll('"', quote))
    found = await introspect(world.closing(openDatabase(world.config)), all)
  })

  it('gives a definition of each table with a key', () => {
    expect(Object.fromEntries(found.definitions)).toEqual({
      cities,
      passports,
      people: people(name),
      trips: trips(name),
      visits,
    })
  })

  it('lists attributes in the order of the columns, and then those of other tables', () => {
    const definition = found.definitions.get('people')
    const expected = people(name) as typeof definition
    expect(Object.keys(definition?.attributes ?? {})).toEqual(Object.keys(expected?.attributes ?? {}))
  })

  it('names all parts that are left out, with the reason, and the private attributes', () => {
    const mask = name === 'postgres' ? 'tsvector' : 'bit(8)'
    expect(Object.fromEntries(found.unserved.map(({ place, reason }) => [place, reason]))).toEqual({
      grown_up: 'the table is a view. Add --view grown_up=<its unique column>',
      knex_migrations: 'the table belongs to a migration tool',
      stops: 'the key has several columns: trip_key, number',
      'people.photo': `${words[name].binaryName} holds binary data`,
      'people.mask': `the type ${mask} is not supported`,
      'visits.trip_key, number': 'no relation, because the foreign key to stops has several columns',
      'visits.nick': 'no relation, because the foreign key refers to people.nick, and the id of people is id',
      'visits.country, name': 'no relation, because the foreign key to cities has several columns',
    })
    expect(found.secrets).toEqual(['people.passwordHash'])
  })

  it('gives a definition of a view with a named column', async () => {
    const views = new Map([['grown_up', 'id']])
    const { definitions } = await introspect(openDatabase(world.knex), { ...all, views })
    expect(definitions.get('grown_up')).toEqual({
      kind: 'collectionType',
      collectionName: 'grown_up',
      info: { singularName: 'grown-up', pluralName: 'grown-ups', displayName: 'Grown Up' },
      table: { id: { name: 'id', type: 'biginteger' } },
      attributes: { name: { type: 'string' } },
    })
  })

  it('names tables that the database user may not read', async () => {
    const { knex, config } = world
    const user = 'content_router_writer'
    const drop = `drop user if exists ${user}`
    const password = name === 'postgres' ? 'password' : 'identified by'
    await knex.raw(drop)
    await knex.raw(`create user ${user} ${password} 'w'`)
    await knex.raw(`grant insert on cities to ${user}`)
    const connection = { ...(config.connection as object), user, password: 'w' }
    const { definitions, unserved } = await introspect(
      world.closing(openDatabase({ ...config, connection })),
      { ...all, tables: ['cities'] },
    )
    expect([definitions.size, unserved]).toEqual([
      0,
      [{ place: 'cities', reason: 'the database user is not allowed to read the table' }],
    ])
    if (name === 'postgres') await knex.raw(`drop owned by ${user}`)
    await knex.raw(drop)
  })

  describe('whose definitions are served', () => {
    let ask: Asker
    const instant = name === 'postgres' ? 'to_timestamp(1709253000)' : 'from_unixtime(1709253000)'
    /** A session in another time zone than that of the values. */
    const zone = name === 'postgres' ? `set timezone to 'America/New_York'` : `set time_zone = '-05:00'`
    const afterCreate = (
      connection: { query(sql: string, done: (error: unknown) => void): void },
      done: (error: unknown, connection: unknown) => void,
    ): void => {
      connection.query(zone, (error) => {
        done(error, connection)
      })
    }

    beforeAll(async () => {
      const { knex } = world
      const [code, name40] = [{ code: 'ams' }, { name: 'Amsterdam', country: 'nl' }]
      await knex('cities').insert([
        { ...code, ...name40 },
        { code: 'ber', name: 'Berlin', country: 'de' },
      ])
      const others =
        name === 'postgres'
          ? { levels: '{a,b}', size: '12.50', width: '1 day 02:00:00', flag: '10.0.0.1', born_in: 1990 }
          : { levels: 'a,b', size: 4294967295, width: 7, flag: true, born_in: 1990 }
      await knex('people').insert({
        ...{ id: '9007199254740993', name: 'Ada', nick: 'ada', mood: `it's Fine`, born: '1990-12-31' },
        ...{ wakes_at: '07:30:00', balance: '1234.50', score: 0.5, active: true, notes: 'calm' },
        ...{ extra: '{"a": [1]}', passwordHash: 'secret', locale: 'de', ...others },
        ...{ created_at: knex.raw(instant), seen: knex.raw(instant) },
        updatedAt: '2024-03-01 00:30:00.123456',
      })
      await knex('people').insert({
        id: 2,
        name: 'Bo',
        mood: 'calm',
        active: false,
        mentor_id: '9007199254740993',
      })
      await knex('passports').insert({ person_id: 2, number: 'X1' })
      await knex('trips').insert({ trip_key: trip, from_city: 'ams', to_city: null, guide_id: 2, seats: 4 })
      await knex('trip guests').insert([
        { trip_key: trip, person_id: 2, position: 2 },
        { trip_key: trip, person_id: '9007199254740993', position: 1 },
      ])
      const router = contentRouter({
        contentTypes: [...found.definitions.values()],
        database: { ...world.config, pool: { afterCreate } },
        permissions: { public: { find: '*' } },
        logger: false,
      })
      await world.closing(router).ready()
      ask = world.closing(await askerOf(express().use('/api', router)))
    })

    const dataOf = async (path: string): Promise<unknown> => {
      const { status, body } = await ask.ask(`/api/${path}`)
      return status === 200 ? (JSON.parse(body) as { data: unknown }).data : body
    }
    const idsOf = async (path: string): Promise<unknown> =>
      ((await dataOf(path)) as readonly { readonly id: unknown }[]).map(({ id }) => id)

    it('have values of each type', async () => {
      const others =
        name === 'postgres'
          ? { levels: ['a', 'b'], size: '$12.50', width: '1 day 02:00:00', flag: '10.0.0.1/32', bornIn: 1990 }
          : { levels: 'a,b', size: '4294967295', width: 7, flag: true, bornIn: 1990 }
      expect(await dataOf('people/9007199254740993')).toEqual({
        ...{ id: '9007199254740993', documentId: '9007199254740993', name: 'Ada', nick: 'ada' },
        ...{ mood: `it's Fine`, born: '1990-12-31', wakesAt: '07:30:00.000', balance: 1234.5, score: 0.5 },
        ...{ active: true, notes: 'calm', extra: { a: [1] }, personLocale: 'de', ...others },
        ...{ seen: '2024-03-01T00:30:00.000Z', createdAt: '2024-03-01T00:30:00.000Z' },
        updatedAt: '2024-03-01T00:30:00.123Z',
      })
    })

    it.each([
      ['filters[seen]=2024-03-01T00:30:00.000Z', 1],
      ['filters[createdAt][$lt]=2024-03-01T00:30:00.001Z', 1],
      ['filters[createdAt][$lt]=2024-03-01T00:30:00.000Z', 0],
      ['filters[updatedAt][$gt]=2024-03-01T00:30:00.123Z', 1],
      ['filters[updatedAt][$gt]=2024-03-01T00:30:00.124Z', 0],
      [`filters[mood]=it's%20Fine`, 1],
      ['filters[mood][$ne]=calm', 1],
      ['filters[flag][$null]=false', 1],
      ['filters[levels][$notNull]=true', 1],
      ['filters[id]=9007199254740993', 1],
      ['filters[documentId]=9007199254740992', 0],
      ['filters[nick][$startsWith]=ad', 1],
      ['filters[mentor][name]=Ada', 1],
      ['filters[passport][number]=X1', 1],
      ['filters[trips][fromCity][country]=nl', 2],
    ])('find by %s', async (query, count) => {
      expect(await idsOf(`people?${query}`)).toHaveLength(count)
    })

    it('follow relations in both directions', async () => {
      expect(
        await dataOf(
          `trips/${trip}?populate[people][fields]=name&populate[guideId][fields]=name&populate[fromCity][populate]=*&populate[toCity][populate]=*`,
        ),
      ).toMatchObject({
        id: trip,
        people: [{ name: 'Ada' }, { name: 'Bo' }],
        guideId: { name: 'Bo' },
        fromCity: { id: 'ams' },
        toCity: null,
      })
      expect(await dataOf('cities?populate[tripsByFromCity][fields]=seats&fields=name')).toEqual([
        {
          ...{ id: 'ams', documentId: 'ams', name: 'Amsterdam' },
          tripsByFromCity: [{ id: trip, documentId: trip, seats: 4 }],
        },
        { id: 'ber', documentId: 'ber', name: 'Berlin', tripsByFromCity: [] },
      ])
      expect(
        await dataOf('people/2?populate[passport][populate]=*&populate[mentor][populate]=people'),
      ).toMatchObject({
        passport: { id: '2', number: 'X1' },
        mentor: { id: '9007199254740993', people: [{ id: '2' }] },
      })
    })

    it('sort and page by instants', async () => {
      expect(await idsOf('people?sort=seen:desc&filters[seen][$notNull]=true')).toEqual(['9007199254740993'])
      expect(
        await idsOf('people?sort[0]=mood&sort[1]=name:desc&pagination[pageSize]=1&pagination[after]='),
      ).toEqual(['2'])
    })
  })
})
