import type { SeedContent } from '../../../extensions/seed'
import type { TestDatabase } from '../../support/databases'

/** What a value is to a plain comparison: instants are milliseconds, dates and times their text. */
export type Meaning = number | bigint | string | boolean

/**
 * A value as a client writes it. Refused: a 400 on every database and with every option. Past: it has a meaning, but lies
 * past what the attribute holds, or what PostgreSQL can take; it is a 400 there and with exact matching.
 */
export interface Edge {
  readonly text: string
  readonly means: Meaning | null
  readonly past?: true
  /** Written as it is, not percent-encoded. */
  readonly raw?: true
}

export const written = ({ text, raw }: Edge): string => (raw === true ? text : encodeURIComponent(text))

export interface Kind {
  /** Beside the rows that all databases hold, those that this one can hold. */
  readonly stored: (dialect: TestDatabase['dialect']) => readonly Meaning[]
  readonly asked: readonly Edge[]
}

const same =
  (...all: readonly Meaning[]) =>
  (): readonly Meaning[] =>
    all

const refused = (...texts: readonly string[]): Edge[] => texts.map((text) => ({ text, means: null }))
const numbers = (...texts: readonly string[]): Edge[] => texts.map((text) => ({ text, means: Number(text) }))
const past = (edges: readonly Edge[]): Edge[] => edges.map((edge) => ({ ...edge, past: true }))
const bigs = (...texts: readonly string[]): Edge[] => texts.map((text) => ({ text, means: BigInt(text) }))
const as = (means: Meaning, ...texts: readonly string[]): Edge[] => texts.map((text) => ({ text, means }))
const themselves = (...texts: readonly string[]): Edge[] => texts.map((text) => ({ text, means: text }))
const instants = (...texts: readonly string[]): Edge[] =>
  texts.map((text) => ({ text, means: Date.parse(text) }))

const nines = '9'.repeat(400)
const noNumbers = [
  '',
  '   ',
  '1e400',
  '-1e400',
  'NaN',
  '-Infinity',
  '1,5',
  '1_000',
  '--1',
  '1e',
  '\u0000',
  '+',
]

const int32 = [
  ...numbers('0', '-0', '1', '-1', '1.5', '-1.5', '1e3', '1e-320', '0x10', '2147483646', '2147483646.5'),
  ...numbers('2147483647', '2147483647.0', '-2147483647', '-2147483648', '-2147483647.5'),
  ...as(7, '  7 ', '+7', '007'),
  ...past(numbers('2147483648', '-2147483649', '2147483647.5', '-2147483648.5', '4294967295', '4294967296')),
  ...past(numbers('9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809')),
  ...past(numbers('18446744073709551616', '1e21', '-1e21', '1e308', '-1e308', nines.slice(0, 300))),
  ...refused(...noNumbers),
]

/** A word is no id of anything: with `database` matching it is found nowhere, and so it is not asked here. */
const ids = [
  ...numbers('0', '1', '-1', '1.5', '26', '27', '2147483647', '-2147483648'),
  ...past(numbers('2147483648', '-2147483649', '4294967295', '4294967296', '9223372036854775808', '-1e308')),
  ...refused(...noNumbers.filter((text) => !/^[^\s\d+.-]/.test(text))),
]

const int64 = [
  ...bigs('0', '-0', '1', '-1', '2147483648', '-2147483649', '9007199254740991', '9007199254740992'),
  ...bigs('9007199254740993', '-9007199254740993', '9223372036854775806', '9223372036854775807'),
  ...bigs('-9223372036854775807', '-9223372036854775808', `${'0'.repeat(400)}7`),
  ...as(7n, '  7 ', '+7', '7.', '7.000'),
  ...past(
    bigs('9223372036854775808', '-9223372036854775809', '18446744073709551615', '18446744073709551616'),
  ),
  ...past(bigs('99999999999999999999', '-99999999999999999999', nines)),
  ...past(as(-BigInt(nines), `-${nines}`)),
  ...past(as(2n ** 63n, '9223372036854775808.00', '+9223372036854775808')),
  ...refused(...noNumbers, '1.5', '1e3', '0x10', '9223372036854775807.5'),
]

const doubles = [
  ...numbers('0', '-0', '0.1', '0.3', '0.30000000000000004', '0.01', '0.010', '-0.01', '9.99', '99999999.99'),
  ...numbers('-99999999.99', '99999999.995', '100000000', '2147483648', '9007199254740993', '1e21', '-1e21'),
  ...numbers('1e308', '-1e308', '1.7976931348623157e308', '-1.7976931348623157e308', '1e-308', '-1e-308'),
  ...numbers('2.2250738585072014e-308', '5e-324', '-5e-324', '1e-400', '123456789012345678901234567890'),
  ...numbers(
    '0.1000000000000000055511151231257827',
    `0.${'3'.repeat(400)}`,
    `1${'0'.repeat(308)}`,
    '.5',
    '5.',
  ),
  ...refused(...noNumbers, '1e309', '1.7976931348623159e308', nines),
]

const days = [
  ...['0001-01-01', '0001-12-31', '0099-12-31', '0100-01-01', '0999-12-31', '1000-01-01', '1582-10-04'],
  ...['1582-10-10', '1582-10-15', '1899-12-31', '1900-01-01', '1969-12-31', '1970-01-01', '2000-02-29'],
  ...['2024-02-29', '2038-01-19', '2038-01-20', '2106-02-07', '2106-02-08', '9999-12-30', '9999-12-31'],
]
const noDays = [
  ...['0000-01-01', '0000-12-31', '10000-01-01', '+010000-01-01', '-0001-01-01', '2020-02-30', '1900-02-29'],
  ...['2023-02-29', '2024-04-31', '2024-13-01', '2024-00-10', '2024-01-00', '2024-01-32', '', '  ', '\u0000'],
  ...['2024-02-29T25:00', '2024-02-29T23:60', '2024-02-29T23:59:60Z', '2024-02-29T24:01', '2024-02-29Tx'],
  ...['2024-02-29T00:00+99:99', '2024-02-29T00:00+24:00', '2024-02-29T00:00+14:60', '2020-02-30T10:00Z'],
]

const times = [
  ...themselves('00:00:00.000', '00:00:00.001', '09:30:15.250', '12:00:00.000', '23:59:59.999'),
  ...as('00:00:00.000', '00:00', '00:00:00', '00:00:00.0009'),
  ...as('09:30:15.250', '09:30:15.25', '09:30:15,250', '09:30:15.250999999'),
  ...as('23:59:59.999', '23:59:59.9999'),
  ...refused('24:00', '24:00:00', '23:59:60', '23:60', '25:00', '9:30', '09', '-01:00', '838:59:59', '', ' '),
  ...refused('09:30Z', '09:30:15.', '09:30:15.2500000000', '\u0000', '٠٩:٣٠'),
]

const moments = [
  ...['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.001Z', '0099-12-31T23:59:59.999Z'],
  ...['0100-01-01T00:00:00.000Z', '0999-12-31T23:59:59.999Z', '1000-01-01T00:00:00.000Z'],
  ...['1582-10-10T12:00:00.000Z', '1582-10-15T00:00:00.000Z', '1899-12-31T23:59:59.999Z'],
  ...['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.000Z'],
  ...['2012-01-13T12:12:36.852Z', '2038-01-19T03:14:07.999Z', '2038-01-19T03:14:08.000Z'],
  ...['2106-02-07T06:28:15.999Z', '2106-02-07T06:28:16.000Z', '9999-12-31T23:59:59.999Z'],
]
const momentIn = (text: string): number => Date.parse(text)

/** Each way to write an instant, and what it says. */
const writings = [
  ...instants(...moments),
  ...as(momentIn('0001-01-01T00:00:00.000Z'), '0001', '0001-01', '0001-01-01', '-62135596800000'),
  ...as(momentIn('0001-01-01T00:00:00.000Z'), '0001-01-01T14:00+14:00', '0000-12-31T23:59-00:01'),
  ...as(momentIn('9999-12-31T23:59:59.999Z'), '253402300799999', '9999-12-31 23:59:59,999'),
  ...as(momentIn('9999-12-31T23:59:59.999Z'), '9999-12-31T23:58:59.999-0001', '9999-12-31T23:59:59.9999Z'),
  ...as(momentIn('2012-01-13T12:12:36.852Z'), '2012-01-14T02:12:36.852+14:00', '2012-01-13T00:12:36.852-12'),
  ...as(momentIn('2012-01-13T12:12:36.852Z'), '2012-01-14T12:11:36.852+23:59', '1326456756852'),
  ...as(momentIn('2012-01-13T12:12:36.852Z'), `2012-01-13T12:12:36.852${'9'.repeat(50)}Z`),
  ...as(
    momentIn('2024-03-01T00:00:00.000Z'),
    '2024-02-29T24:00',
    '2024-03',
    '2024-03-01T00',
    '2024-03-01T00Z',
  ),
  ...as(0, '-0', '0', '000', '1970', '1970-01'),
  ...as(-1, '-1'),
  ...as(2_147_483_647_999, '2147483647999'),
  ...as(2_147_483_648_000, '2147483648000'),
  ...as(4_294_967_296_000, '4294967296000'),
  ...refused('0000', '0000-01-01', '0000-12-31T23:59:59.999Z', '-62135596800001', '253402300800000'),
  ...refused('-8640000000000000', '8640000000000000', '8640000000000001', '99999999999999999', nines),
  ...refused('0001-01-01T00:00+00:01', '9999-12-31T23:59:59.999-00:01', '9999-12-31T24:00', '-000001-01-01'),
  ...refused(...noDays, 'now', '1e3', '1.5', '0x10', '2024-13', '2024-00', '2024-01-01T00:00:00 +01:00'),
]

/** The ways to write them are those above; what matters here are the ends of TIMESTAMP. */
const seconds = [
  ...instants(...moments),
  ...as(-1, '-1'),
  ...as(0, '0'),
  ...as(1000, '1970-01-01T00:00:01Z'),
  ...as(2_147_483_647_999, '2147483647999'),
  ...as(4_294_967_296_000, '4294967296000'),
  ...refused('0000', '-62135596800001', '253402300800000', '-8640000000000000', '2020-02-30', nines),
]

const words = [
  ...themselves('', ' ', '  ', 'a', 'A', 'a ', ' a', 'ab', 'é', 'e\u0301', 'ß', '0', '-0', 'null', '\n', '%'),
  ...themselves('_', '\\', '\ud7ff', '\ue000', '\ufffd', '\uffff', '\u{10000}', '🚀', '🚀b', '\u{10ffff}'),
  ...themselves(
    '\u0001',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u202e',
    '\ufeff',
    'x'.repeat(255),
    'x'.repeat(3000),
  ),
  ...past(themselves('\u0000', 'a\u0000', '\u0000🚀')),
  // What percent signs say that is no text is taken as it stands.
  ...['%ED%A0%80', '%ED%A0%BD%ED%BA%80', '%FF', '%C3%28', '%', '%u0041', '%F4%90%80%80', '%C0%80'].map(
    (text): Edge => ({ text, means: text, raw: true }),
  ),
]

const timestampsOf = (dialect: TestDatabase['dialect']): readonly number[] => {
  const all = moments.map(momentIn)
  // As far as TIMESTAMP goes: from its first second to the last of 31 bits.
  return dialect === 'mysql' ? all.filter((at) => at >= 1000 && at < 2_147_483_648_000) : all
}

export const rowCount = 26

/** Attributes by their types; `createdAt` and `id` have every entry. */
export const kinds: Readonly<Record<string, Kind>> = {
  id: { stored: same(...Array.from({ length: rowCount }, (_, index) => index + 1)), asked: ids },
  integer: { stored: same(0, 1, -1, 7, 2, 16, 1000, 2147483647, 2147483646, -2147483648), asked: int32 },
  biginteger: {
    stored: same(
      ...[0n, 1n, -1n, 7n, 2147483648n, 9007199254740991n, 9007199254740992n, 9007199254740993n],
      ...[-9007199254740993n, 9223372036854775806n, 9223372036854775807n, -9223372036854775807n],
      -9223372036854775808n,
    ),
    asked: int64,
  },
  float: {
    stored: same(
      ...[0, 0.1, 0.3, 0.1 + 0.2, 0.5, -0.01, 9.99, 1e21, -1e21, 9007199254740992, 1e308, -1e308],
      ...[Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 1e-308, 2.2250738585072014e-308],
      5,
    ),
    asked: doubles,
  },
  decimal: {
    stored: same(0, 0.01, -0.01, 0.1, 0.3, 0.5, 5, 9.99, 99999999.99, -99999999.99),
    asked: doubles,
  },
  boolean: {
    stored: same(true, false),
    asked: [
      ...as(false, '', '0', 'f', 'false'),
      ...as(true, ' ', '1', 't', 'true', 'FALSE', 'null', '-0', '1e400', '\u0000'),
    ],
  },
  date: {
    stored: same(...days),
    asked: [
      ...themselves(...days),
      ...as('2024-02-29', '2024-02-29T23:59:59.999-12:00', '2024-02-29 00:00', '2024-02-29T24:00'),
      ...as('0001-01-01', '0001-01-01T00:00+14:00'),
      ...as('9999-12-31', '9999-12-31T23:59-12:00'),
      ...refused(...noDays, '2024', '2024-02', '20240229', '2024-02-29 ', '0', '-1', nines),
    ],
  },
  time: {
    stored: same('00:00:00.000', '00:00:00.001', '09:30:15.250', '12:00:00.000', '23:59:59.999'),
    asked: times,
  },
  datetime: { stored: same(...moments.map(momentIn)), asked: writings },
  timestamp: { stored: timestampsOf, asked: seconds },
  string: {
    stored: same(
      ...['', ' ', 'a', 'A', 'a ', 'ab', 'é', 'e\u0301', '0', '\ud7ff', '\ue000', '\uffff', '🚀', '🚀b'],
      ...['\u{10ffff}', '\u0001', '%', '%FF', '\\', 'x'.repeat(255)],
    ),
    asked: words,
  },
}

/** The problem: what a refusal has to name. */
export interface JsonEdge extends Edge {
  readonly problem?: string
}

/** `jsonb` has no NUL, no half of a pair, no number past those that it can count, and a stack that ends. */
export const jsons: readonly JsonEdge[] = [
  ...as('{"a":"🚀"}', '{"a":"🚀"}', '{"a":"\\ud83d\\ude80"}', '{ "a" : "🚀" }'),
  ...as('["\\\\u0000"]', '["\\\\u0000"]'),
  ...as('[1e308]', '[1e308]'),
  ...as('[0.1]', '[0.1]', '[0.10]'),
  ...as('[]', '[]'),
  ...as('""', '""'),
  ...as('"nowhere"', '"nowhere"', '"\\b\\f\\u0001\\uffff"', '-0.5', '5e-324', '1.7976931348623157e308'),
  ...as('"nowhere"', '['.repeat(100) + ']'.repeat(100), `"${'['.repeat(5000)}"`),
  ...[
    ...['{"a":"\\u0000"}', '"\\u0000"', '{"\\u0000":1}', '["\\\\\\u0000"]'].map(
      (text) => [text, 'NUL'] as const,
    ),
    ...[
      '"\\ud800"',
      '"\\udc00"',
      '"\\ude80\\ud83d"',
      '{"\\ud800":1}',
      '["\\ud83d\\\\ude80"]',
      '"\\uD83D"',
    ].map((text) => [text, 'surrogate'] as const),
    ...['1e400', '-1e400', '[1e131072]', '{"a":1e-20000}', '1e-400', `0.${'1'.repeat(1100)}`].map(
      (text) => [text, 'number'] as const,
    ),
    ...['['.repeat(101) + ']'.repeat(101), '{"a":'.repeat(101) + '1' + '}'.repeat(101)].map(
      (text) => [text, 'levels'] as const,
    ),
    ...['', ' ', '{', "'a'", 'NaN', '01', '"\u0001"', '[1,]', '\u0000', 'undefined'].map(
      (text) => [text, 'JSON'] as const,
    ),
  ].map(([text, problem]) => ({ text, means: null, problem })),
]
export const storedJsons: readonly unknown[] = [{ a: '🚀' }, ['\\u0000'], [1e308], [0.1], [], '']

/** As `seed` takes it. */
function given(kind: string, means: Meaning): string | number | boolean {
  if (kind === 'datetime' || kind === 'timestamp') return new Date(Number(means)).toISOString()
  return typeof means === 'bigint' ? String(means) : means
}

export const edge = {
  kind: 'collectionType',
  collectionName: 'edges',
  info: { singularName: 'edge', pluralName: 'edges', displayName: 'Edge' },
  options: { draftAndPublish: false },
  attributes: {
    ...Object.fromEntries(
      Object.keys(kinds)
        .filter((kind) => kind !== 'id')
        .map((kind) => [kind, { type: kind }]),
    ),
    json: { type: 'json' },
  },
} as const

/** Every row holds one value of each kind, and NULL where a kind has fewer values than there are rows. */
export function edgeContent(dialect: TestDatabase['dialect']): SeedContent {
  const rows = Array.from({ length: rowCount }, (_, index) => {
    const attributes = Object.entries(kinds).flatMap(([kind, { stored }]) => {
      const means = kind === 'id' ? undefined : stored(dialect)[index]
      return means === undefined ? [] : [[kind, given(kind, means)] as const]
    })
    const json = storedJsons[index]
    return { ...Object.fromEntries(attributes), ...(json === undefined ? {} : { json }) }
  })
  return { edge: rows } as unknown as SeedContent
}

/** As they stand in a URL, by the kind of the attribute. */
export const edgeTexts: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...Object.entries(kinds).map(([kind, { asked }]) => [kind, asked] as const), ['json', jsons] as const].map(
    ([kind, asked]) => [kind, asked.map(written)],
  ),
)
