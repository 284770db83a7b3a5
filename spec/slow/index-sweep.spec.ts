import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import {
  bothOf,
  conditionsOf,
  fill,
  filtersOf,
  isText,
  type Kind,
  kind,
  nameOf,
  ordersOf,
  pagesOf,
  sweep,
} from '../support/indexed-twin'
import { aSixthOf } from '../support/sweep'

/*
 * What a server finds by an index beside what it finds by the rows: all comparisons, over the kinds of columns that Strapi and
 * `migrate` create, and their narrower relatives. A server in a new version has to pass all of this, by SWEEP=all, before it is said
 * to be supported; a run without asks a sixth.
 */

const matchings = ['exact', 'database'] as const
const directions = ['asc', 'desc'] as const

const numbers = [
  ...['0', '1', '-1', '127', '128', '255', '32767', '32768', '2147483647', '2147483648'],
  ...['4294967295', '-2147483648', '9223372036854775807', '-9223372036854775808', '0.5', '1.005', '1.004999'],
  ...['1.01', '16777217', '99999999.99', '99999999.995', '123456.78'],
]
const ends = ['1e300', '-1e300', '1e-300']
const instants = [
  '2024-02-29 10:00:00.500',
  '2024-02-29 10:00:01.000',
  '2024-02-29 10:00:00.000',
  '2024-02-29 10:00:00.499',
  '2024-02-29 10:00:00.501',
  '1970-01-01 00:00:01.000',
  '2038-01-19 03:14:06.499',
  '2037-12-31 23:59:58.999',
].map((instant) => instant.replace(' ', 'T') + 'Z')
const clocks = ['10:00:00.500', '10:00:01', '10:00:00', '10:00:00.499', '23:59:58.999', '00:00:00.001']
const days = ['2024-02-29', '1000-01-01', '9999-12-31', '2024-03-01']
const texts = [
  ...['', 'a', 'A', 'á', 'ab', 'a b', 'a ', 'a\t', 'a\u0001', 'aß', 'ass', 'aﬀ', 'a😀', 'a😀b', 'a\uffff'],
  ...['a\ufdfa', 'a\u0301', 'b', 'B', 'æ', 'ae', 'a漢', 'a\u{10ffff}', 'a%', 'a_', 'a\\', 'İ', 'i', 'I'],
  ...[
    'a\u200b',
    '\u200ba',
    '😀',
    '😀a',
    'ch',
    'c',
    'cz',
    'h',
    'abcdefghijk',
    '\u200babcdefghij',
    'abcdefghiß',
    'abcdefghiss',
    'ABCDEFGHIJ',
    'abcdefghi ',

    'abcdefghij',
    'ａ',
  ],
]
const booleans = ['true', 'false']

const ofMysql: readonly Kind[] = [
  ...kind('integer', numbers, 'int', 'int unsigned', 'smallint', 'mediumint'),
  ...kind('biginteger', numbers, 'bigint', 'bigint unsigned', 'int', 'smallint unsigned'),
  ...kind('decimal', numbers, 'decimal(10,2)', 'decimal(10,0)', 'decimal(10,2) unsigned', 'double', 'int'),
  ...kind('float', [...numbers, ...ends], 'double', 'decimal(10,2)', 'int'),
  ...kind('boolean', booleans, 'tinyint(1)', 'tinyint unsigned'),
  ...kind('date', days, 'date'),
  ...kind('time', clocks, 'time', 'time(3)', 'time(6)'),
  ...kind(
    'datetime',
    instants,
    'datetime',
    'datetime(3)',
    'datetime(6)',
    'timestamp null',
    'timestamp(6) null',
  ),
  ...kind('timestamp', instants, 'timestamp null', 'timestamp(3) null'),
  ...kind('string', texts, 'varchar(100)', 'varchar(100) collate utf8mb4_unicode_ci'),
]

const kinds = {
  mariadb: ofMysql,
  mysql: ofMysql,
  postgres: [
    ...kind('integer', numbers, 'integer', 'smallint'),
    ...kind('biginteger', numbers, 'bigint', 'integer'),
    ...kind('decimal', numbers, 'numeric(10,2)', 'numeric', 'double precision', 'real', 'integer'),
    ...kind('float', numbers, 'double precision', 'real', 'numeric(10,2)', 'integer'),
    ...kind('boolean', booleans, 'boolean'),
    ...kind('date', days, 'date'),
    ...kind('time', clocks, 'time', 'time(0)', 'time(3)'),
    ...kind('datetime', instants, 'timestamp', 'timestamp(0)', 'timestamp(3)'),
    ...kind('string', texts, 'varchar(100)', 'varchar(100) collate "C"', 'text'),
  ],
  sqlite: [
    ...kind('integer', numbers, 'integer', 'smallint'),
    ...kind('biginteger', numbers, 'bigint'),
    ...kind('decimal', numbers, 'float', 'decimal(10,2)', 'integer'),
    ...kind('float', numbers, 'float', 'real', 'integer'),
    ...kind('boolean', booleans, 'boolean'),
    ...kind('date', days, 'date'),
    ...kind('time', clocks, 'time'),
    ...kind('datetime', instants, 'datetime'),
    ...kind('string', texts, 'varchar(100)', 'text'),
  ],
} as const

type Serving = Pick<ContentRouterConfig, 'contentTypes' | 'textMatching'>

function served(world: World, serving: Serving): ContentRouter {
  const { config } = world
  const permissions = { public: { find: '*' } } as const
  return world.closing(contentRouter({ ...serving, database: config, logger: false, permissions }))
}

const named = (columns: readonly Kind[]): readonly (Kind & { readonly name: string })[] =>
  columns.map((column, at) => ({ ...column, name: nameOf(at) }))

eachDatabase((database) => {
  const columns: readonly Kind[] = kinds[database.name]
  const world = database.fresh()
  const contentTypes = bothOf(columns)
  beforeAll(() => fill(world, database.dialect, columns), 120_000)

  describe.each(matchings)('%s', (textMatching) => {
    let content: ContentRouter
    beforeAll(async () => {
      content = served(world, { contentTypes, textMatching })
      await content.ready()
    })

    // How texts are matched changes nothing at other values.
    const matched = named(columns).filter(({ type }) => textMatching === 'exact' || isText(type))
    it.each(matched)(
      '$column as $type: filters find the same with an index',
      async ({ name, ...column }) => {
        const { found, otherwise } = await sweep(content, aSixthOf(filtersOf(name, conditionsOf(column))))
        expect(otherwise).toEqual([])
        expect(found).toBeGreaterThan(column.values.length / 2)
      },
      60_000,
    )

    it.each(matched)('$column as $type: sorts are the same with an index', async ({ name, values }) => {
      expect((await sweep(content, ordersOf(name, values.length))).otherwise).toEqual([])
      for (const direction of directions) {
        const byRows = await pagesOf(content, 'plains', name, direction)
        expect(byRows.length).toBeGreaterThan(1)
        expect(await pagesOf(content, 'indexeds', name, direction)).toEqual(byRows)
      }
    })
  })
})
