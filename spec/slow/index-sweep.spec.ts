import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import { describeOn, eachDatabase, testDatabase, type World } from '../support/databases'
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

/*
 * What a server finds by an index beside what it finds by the rows: all comparisons, over every kind of column that an attribute
 * is read from. A server in a new version has to pass all of this, by SWEEP=all, before it is said to be supported; a run without
 * asks a third.
 */

/** A third whose place moves on, so that none of the operators, which come in threes and sixes, is left out. */
const some = (queries: readonly object[]): readonly object[] =>
  queries.filter((_, at) => process.env['SWEEP'] === 'all' || (at + Math.floor(at / 3)) % 3 === 0)

const matchings = ['exact', 'database'] as const
const directions = ['asc', 'desc'] as const

const numbers = [
  ...['0', '1', '-1', '127', '128', '255', '32767', '32768', '2147483647', '2147483648'],
  ...['4294967295', '-2147483648', '9223372036854775807', '-9223372036854775808', '0.5', '1.005', '1.004999'],
  ...['1.01', '16777217', '99999999.99', '99999999.995', '123456.78'],
]
const ends = ['1e300', '-1e300', '1e-300']
/** Of more digits than a double has. */
const wide = [
  '1e21',
  '1000000000000000000001',
  '1500000000000000000000',
  '2000000000000000000001',
  '123456789012345678901234567890',
  '12345678901234567890123.5',
  '1e-7',
  '0.00000010000000000000001',
  '5',
]
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
const members = ['a', 'b', 'c', '1', '2', 'B', 'b,c', '']
const booleans = ['true', 'false']

/** As people do whose texts are longer than an index may be. */
const beginnings = (type: string, ...columns: readonly string[]): readonly Kind[] =>
  kind(type, texts, ...columns).map((one) => ({ ...one, prefix: 10 }))

const ofMysql: readonly Kind[] = [
  ...kind('integer', numbers, 'int', 'int unsigned', 'smallint', 'mediumint'),
  ...kind('biginteger', numbers, 'bigint', 'bigint unsigned', 'int', 'smallint unsigned'),
  ...kind('decimal', numbers, 'decimal(10,2)', 'decimal(10,0)', 'decimal(10,2) unsigned', 'double', 'int'),
  ...kind('decimal', numbers, 'float', 'smallint'),
  ...kind('float', [...numbers, ...ends], 'double', 'float', 'float(7,2)', 'decimal(10,2)', 'int'),
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
  ...kind('string', members, `enum('a','b','c')`, `set('a','b','c')`, 'year'),
  ...kind('string', texts, 'varchar(100)', 'char(20)', 'varchar(100) collate utf8mb4_bin'),
  ...beginnings('text', 'varchar(300)', 'text', 'tinytext', 'longtext'),
  ...beginnings('string', 'varchar(100)', 'varchar(100) collate utf8mb4_unicode_ci', 'char(20)'),
  ...kind('decimal', wide, 'decimal(40,0)', 'decimal(65,30)'),
  ...kind('float', wide, 'decimal(65,30)'),
]

const kinds = {
  mariadb: [...ofMysql, ...kind('string', ['10.0.0.1', '::1', ...members], 'inet4', 'inet6')],
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
    ...kind('string', texts, 'varchar(100)', 'char(20)', 'varchar(100) collate "C"', 'text'),
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
    ...kind('string', texts, 'varchar(100)', 'varchar(100) collate nocase', 'varchar(100) collate rtrim'),
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
        const { found, otherwise } = await sweep(content, some(filtersOf(name, conditionsOf(column))))
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

/** Letters of several weights, of none, and beyond U+FFFF. */
const letters = [
  'a',
  'a\t',
  'a\u0001',
  'a\u007f',
  'A',
  'a ',
  'á',
  'ab',
  'aß',
  'ass',
  'a😀',
  'a😀b',
  'a\uffff',
  'a\u0301',
  'b',
  'æ',
  'ch',
  'i',
  'Σ',
  '字',
  'ァ',
  'ああ',
  '\u200ba',
  '😀',
  'ａ',
]

interface Collation {
  readonly CHARACTER_SET_NAME: string
  readonly COLLATION_NAME: string
  /** MariaDB has the same collation for several character sets. */
  readonly FULL_COLLATION_NAME?: string
}

const ofLetters = letters.flatMap((letter, at) => [
  { $eq: letter },
  { $gt: letter },
  { $startsWith: letter },
  { $between: [letter, letters.at(at - 1)] },
])

/** MariaDB has those of each language for five encodings of the same letters, and in four degrees of telling them apart. */
const isLikeOthers = ({ CHARACTER_SET_NAME: set, COLLATION_NAME: name }: Collation): boolean =>
  /uca1400.*_(?:ai_cs|as_ci|nopad_as_cs)$/.test(name) ||
  (/^(?:utf8mb3|ucs2|utf16|utf16le|utf32)$/.test(set) &&
    !/_(?:bin|general|unicode|nopad_bin)(?:_|$)/.test(name))

const atOnce = 40

describeOn(['mariadb', 'mysql'])('texts of %s', (server) => {
  const { dialect } = testDatabase(server)
  const world = testDatabase(server).fresh()

  async function sweepCollations(columns: readonly Kind[]): Promise<readonly string[]> {
    await world.knex.raw('drop table if exists indexeds, plains')
    await fill(world, dialect, columns)
    const content = served(world, { contentTypes: bothOf(columns), textMatching: 'database' })
    const otherwise: string[] = []
    for (const { name, column } of named(columns)) {
      const swept = await sweep(content, some(filtersOf(name, ofLetters)))
      expect(swept.found).toBeGreaterThan(letters.length / 4)
      const ordered = await sweep(content, ordersOf(name, letters.length))
      otherwise.push(...[...swept.otherwise, ...ordered.otherwise].map((one) => `${column}: ${one}`))
      const [byIndex, byRows] = await Promise.all(
        ['indexeds', 'plains'].map((plural) => pagesOf(content, plural, name, 'asc')),
      )
      if (JSON.stringify(byIndex) !== JSON.stringify(byRows)) otherwise.push(`${column}: another order`)
    }
    return otherwise
  }

  it('are filtered and sorted the same with an index, in every collation', async () => {
    const [rows] = await world.knex.raw<readonly [readonly Collation[], unknown]>(
      'select * from information_schema.collation_character_set_applicability',
    )
    const columns = rows
      .filter((row) => row.CHARACTER_SET_NAME !== 'binary' && !isLikeOthers(row))
      .flatMap((row) =>
        kind(
          'string',
          letters,
          `varchar(40) character set ${row.CHARACTER_SET_NAME} collate ${row.FULL_COLLATION_NAME ?? row.COLLATION_NAME}`,
        ),
      )
    expect(columns.length).toBeGreaterThan(150)
    const otherwise: string[] = []
    for (let from = 0; from < columns.length; from += atOnce)
      otherwise.push(...(await sweepCollations(columns.slice(from, from + atOnce))))
    expect(otherwise).toEqual([])
  }, 600_000)
})
