import { edgeTexts } from '../../spec/corpus/agreement/edges'
import { type Chance, pick } from './chance'

export const prototypeNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'valueOf',
  'length',
]

/** Percent-encodings of what cannot be written in a URL, some of them broken. */
export const encodings = [
  ...[
    '%00',
    '%27',
    '%22',
    '%60',
    '%5C',
    '%ED%A0%80',
    '%ED%BF%BF',
    '%C3%28',
    '%FF',
    '%',
    '%Z',
    '%2',
    '%u0041',
  ],
  ...[
    '%F0%9F%92%A9',
    '%E2%80%AE',
    '%EF%BF%BF',
    '%0d%0a',
    '%2500',
    '%5B',
    '%5D',
    '%26',
    '%3D',
    '+',
    '%20',
    '%23',
  ],
]
export const numbers = [
  ...[
    '0',
    '-0',
    '1',
    '2',
    '-1',
    '25',
    '99',
    '100',
    '101',
    '1e999',
    '-1e999',
    'NaN',
    'Infinity',
    '-Infinity',
    '1e3',
  ],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '2147483648'],
  ...[
    '1e-400',
    '0x10',
    '0b1',
    '1_000',
    '.5',
    '5.',
    '1,5',
    '%20 1',
    '٣',
    '1e308',
    '123456789012345678901234567890',
  ],
]
const moments = [
  '2024-01-01',
  '2024-02-30',
  '2020-02-30',
  '0000-00-00',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31T24:00',
  '-62135596800001',
  '253402300800000',
  '8640000000000000',
  '+275760-09-13',
  '99999-01-01',
  '12:00',
  '25:61',
  '2024-01-01T00:00:00Z',
]
export const attacks = [
  ...[
    "'%20OR%20'1'='1",
    "';DROP%20TABLE%20articles;--",
    '%22%3BSELECT%201--',
    '`id`',
    't0.password',
    't1.id',
  ],
  ...[
    '$1',
    '?',
    '??',
    ':id',
    '%25',
    '_',
    '%5C%25',
    '\\',
    '$.a[0]',
    '$**',
    '{}',
    '[]',
    '{"a":1}',
    '[1',
    'null',
  ],
  ...[
    '"',
    '{"__proto__":1}',
    '{"a":"\\u0000"}',
    '"\\ud800"',
    '[1e131072]',
    'undefined',
    '(select%20sleep(1))',
    '*',
    'true',
    'false',
    't',
    'f',
    '',
    ' ',
    ',',
  ],
]
export const words = [
  'a',
  'en',
  'de',
  'fr',
  'draft',
  'published',
  'news',
  'title:desc',
  'author.name:asc',
  'id,title',
  'x:up',
]
const unicode = ['naïve', 'Straße', 'ΣΑΣ', '日本', 'é', '👩‍👩‍👧', 'ﬀ', '\u202e', 'İ']
export const stored = [
  'b3g0t4fwhz8td0uadqrla4i5',
  'bke9uj55g8g2afnkmxahcpd8',
  'abc',
  'published',
  'modified',
  'never-published',
]

const lengths = [10, 100, 1_000, 5_000, 20_000, 100_000]

function longText(chance: Chance): string {
  const piece = pick(chance, ['a', '%25', '%00', "'", '%F0%9F%92%A9', 'a,', '[', ']', '$', '.', '%2E', 'a:'])
  return piece.repeat(Math.ceil(pick(chance, lengths) / piece.length))
}

const plain = [
  '1',
  '2',
  '3',
  'a',
  'e',
  'true',
  'false',
  '2024-01-01',
  '2023-05-05',
  '12:00',
  '0.5',
  '100',
  'news',
]
const hostile = [numbers, moments, attacks, words, unicode, stored, encodings, prototypeNames]

export function text(chance: Chance): string {
  if (chance(4000) === 0) return longText(chance)
  const first = pick<string>(chance, chance(10) < 7 ? plain : pick<readonly string[]>(chance, hostile))
  return chance(40) === 0 ? first + text(chance) : first
}

/** For an attribute of this kind: now and then a value at the edge of what such attributes hold. */
export function textFor(chance: Chance, kind: string | undefined): string {
  const edges = kind === undefined ? undefined : edgeTexts[kind]
  return edges === undefined || chance(3) > 0 ? text(chance) : pick(chance, edges)
}
