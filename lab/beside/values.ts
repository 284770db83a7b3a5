// A value for each kind of attribute: such as conditions find, leave out and put in another order.
import { type Chance, pick } from '../requests/chance'
import type { StrapiAttribute } from './strapi'

const words = [
  'alpha',
  'Beta',
  'gamma ray',
  'Émile',
  'über',
  '100 %',
  'snake_case',
  "d'or",
  '日本',
  'alpha two',
]

const word = (chance: Chance): string => pick(chance, words)
const padded = (number: number): string => String(number).padStart(2, '0')
const day = (chance: Chance): string =>
  `20${padded(chance(30))}-${padded(1 + chance(12))}-${padded(1 + chance(28))}`
const hour = (chance: Chance): string =>
  `${padded(chance(24))}:${padded(chance(60))}:${padded(chance(60))}.000`
const paragraph = (text: string): unknown => [{ type: 'paragraph', children: [{ type: 'text', text }] }]

type Make = (chance: Chance, attribute: StrapiAttribute, serial: number) => unknown

const text: Make = (chance) => word(chance)

const makers: Readonly<Record<string, Make>> = {
  string: text,
  text: (chance) => `${word(chance)}\n${word(chance)}`,
  richtext: (chance) => `# ${word(chance)}\n\n${word(chance)} **${word(chance)}**`,
  email: (_chance, _attribute, serial) => `reader.${String(serial)}@example.com`,
  uid: (_chance, _attribute, serial) => `entry-${String(serial)}`,
  password: () => 'Not-shown-1',
  enumeration: (chance, { enum: values = [] }) => (values.length === 0 ? null : pick(chance, values)),
  integer: (chance) => chance(2_000) - 500,
  biginteger: (chance) => String(chance(1_000_000) * 1_000),
  float: (chance) => chance(1_000) / 8,
  decimal: (chance) => chance(10_000) / 100,
  boolean: (chance) => chance(2) === 0,
  date: day,
  time: hour,
  datetime: (chance) => `${day(chance)}T${hour(chance)}Z`,
  timestamp: (chance) => `${day(chance)}T${hour(chance)}Z`,
  json: (chance) =>
    pick(chance, [{ a: word(chance), n: chance(9) }, [1, word(chance)], word(chance), chance(9)]),
  blocks: (chance) => paragraph(word(chance)),
}

/** Undefined: Strapi's own default; serial numbers are never given twice. */
export function valueFor(chance: Chance, attribute: StrapiAttribute, serial: number): unknown {
  if (attribute.type !== 'uid' && chance(7) === 0) return chance(2) === 0 ? null : undefined
  return makers[attribute.type]?.(chance, attribute, serial)
}
