import { openDatabase } from '../../lib/database'
import { introspect, type Introspection } from '../../tools/introspect'
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
      bornIn: { type: 'string', columnName: 'born_in' },
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
  table: { id: { name: 'id', type: 'biginteger' }, createdAt: 'created_at', updatedAt: 'updatedAt' },
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
    seen: { type: name === 'postgres' ? 'datetime' : 'timestamp' },
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
      grown_up: 'a view: add --view grown_up=<its unique column>',
      knex_migrations: 'a table of a migration tool',
      stops: 'its key has several columns: trip_key, number',
      'people.photo': `${words[name].binaryName} holds binary data`,
      'people.mask': `the type ${mask} is not supported`,
      'visits.trip_key, number': 'no relation: the foreign key to stops has several columns',
      'visits.nick': 'no relation: the foreign key leads to people.nick, and the id of people is id',
      'visits.country, name': 'no relation: the foreign key to cities has several columns',
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
})
