import { createHash } from 'node:crypto'
import { wordsOf } from './words'

/** Strapi 5's limit, below those of the databases it supports. */
const longest = 55
const hashLength = 5

/** `weightKg2` is `weight_kg_2`, `año` is `ano`. */
export const snakeCase = (name: string): string =>
  wordsOf(name)
    .map((part) => part.toLowerCase())
    .join('_')

const isKebabCase = (name: string): boolean => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)

/** What Strapi calls that which lies in a folder: `blog_posts` is `blog-posts`; `page2` stays, though it is two words. */
export const folderName = (folder: string): string =>
  isKebabCase(folder)
    ? folder
    : wordsOf(folder)
        .map((part) => part.toLowerCase())
        .join('-')

/** A part of an identifier. Those that are not fixed are cut when the whole is too long. */
interface Part {
  readonly text: string
  readonly fixed: boolean
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const hash = createHash('shake256', { outputLength: Math.ceil(hashLength / 2) })
    .update(text)
    .digest('hex')
  return text.slice(0, length - hashLength) + hash.slice(0, hashLength)
}

/** Equal shares; what short parts leave over goes round the long ones, a letter at a time. */
function share(lengths: readonly number[], available: number): readonly number[] {
  const each = Math.floor(available / lengths.length)
  const shares = lengths.map((length) => Math.min(length, each))
  let left = available - shares.reduce((sum, length) => sum + length, 0)
  while (left > 0) {
    for (const [place, length] of lengths.entries()) {
      const given = shares[place] ?? 0
      if (left === 0 || given >= length) continue
      shares[place] = given + 1
      left -= 1
    }
  }
  return shares
}

const join = (texts: readonly string[]): string => texts.join('_')

function identifier(parts: readonly Part[]): string {
  const whole = join(parts.map(({ text }) => text))
  if (whole.length <= longest) return whole
  const cuttable = parts.filter(({ fixed }) => !fixed).map(({ text }) => text)
  const taken = whole.length - cuttable.reduce((sum, { length }) => sum + length, 0)
  const shares = share(
    cuttable.map(({ length }) => length),
    longest - taken,
  )
  const shortened = cuttable.map((text, place) => cut(text, shares[place] ?? 0)).values()
  return join(parts.map(({ text, fixed }) => (fixed ? text : (shortened.next().value ?? text))))
}

const cuttable = (text: string): Part => ({ text, fixed: false })
const fixed = (text: string): Part => ({ text, fixed: true })

/** What the definitions give, followed by endings that always stay whole. */
const named = (given: readonly string[], ...endings: readonly string[]): string =>
  identifier([...given.map(cuttable), ...endings.map(fixed)])

const inverse = (given: string, ending: string): string =>
  identifier([fixed('inv'), cuttable(given), fixed(ending)])

export const tableName = (collectionName: string): string => named([collectionName])
export const columnName = (attribute: string): string => named([snakeCase(attribute)])

export const keyName = (name: string): string => named([snakeCase(name)], 'id')
export const inverseKeyName = (name: string): string => inverse(snakeCase(name), 'id')
export const typeName = (name: string): string => named([snakeCase(name)], 'type')
export const orderName = (name: string): string => named([snakeCase(name)], 'ord')
export const inverseOrderName = (name: string): string => inverse(snakeCase(name), 'ord')

export const linkTableName = (table: string, attribute: string): string =>
  named([snakeCase(table), snakeCase(attribute)], 'lnk')
export const morphTableName = (table: string, attribute: string): string =>
  named([snakeCase(table), snakeCase(attribute)], 'mph')
export const componentTableName = (collectionName: string): string => named([collectionName], 'cmps')

/** The name of an index or a foreign key: the table, the column where it tells two apart, and what it is for. */
export const indexName = (given: readonly string[], ...endings: readonly string[]): string =>
  named(given, ...endings)

const letters = new Intl.Collator('und', { sensitivity: 'base' })

/** Names that differ in case or accents alone are equal in most collations of MySQL and MariaDB. */
export const areTwins = (one: string, other: string): boolean => letters.compare(one, other) === 0
