import { createHash } from 'node:crypto'

// Words of a name as lodash finds them, which Strapi names columns with. spec/meaning/schema-files compares both.

/** Letters of Latin-1 and Latin Extended-A without a decomposition. */
const spelled: Readonly<Record<string, string>> = {
  ...{ Æ: 'Ae', æ: 'ae', Ð: 'D', ð: 'd', Ø: 'O', ø: 'o', Þ: 'Th', þ: 'th', ß: 'ss', Đ: 'D', đ: 'd' },
  ...{ Ħ: 'H', ħ: 'h', ı: 'i', Ĳ: 'IJ', ĳ: 'ij', ĸ: 'k', Ŀ: 'L', ŀ: 'l', Ł: 'L', ł: 'l', ŉ: "'n" },
  ...{ Ŋ: 'N', ŋ: 'n', Œ: 'Oe', œ: 'oe', Ŧ: 'T', ŧ: 't', ſ: 's' },
}

const accents = /[\u0300-\u036f\ufe20-\ufe2f\u20d0-\u20ff]/g

const bare = (letter: string): string => spelled[letter] ?? letter.normalize('NFD').replace(accents, '')

/** Letters of other scripts keep their marks. */
const withoutAccents = (name: string): string =>
  name.replace(/[\xc0-\xd6\xd8-\xf6\xf8-\u017f]/g, bare).replace(accents, '')

const small = 'a-z'
const capital = 'A-Z'
/** Characters between words. */
const gap = String.raw`\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\xd7\xf7\u2000-\u206f\s\u180e\u2700-\u27bf\ud800-\udfff`
/** A letter of a script without case. */
const other = `^${gap}${small}${capital}\\d`
const gapAhead = `(?=[${gap}]|[${capital}]|$)`

const forms = [
  `[${capital}]?[${small}]+${gapAhead}`,
  `(?:[${capital}]|[${other}])+(?=[${gap}]|[${capital}](?:[${small}]|[${other}])|$)`,
  `[${capital}]?(?:[${small}]|[${other}])+`,
  `[${capital}]+`,
  String.raw`\d*(?:1ST|2ND|3RD|(?![123])\dTH)(?=\b|[a-z_])`,
  String.raw`\d*(?:1st|2nd|3rd|(?![123])\dth)(?=\b|[A-Z_])`,
  String.raw`\d+`,
]
const word = new RegExp(forms.join('|'), 'g')

/** `weightKg2` is weight, kg, 2; an ordinal (`1st`) is one word. */
const wordsOf = (name: string): readonly string[] =>
  (withoutAccents(name).replace(/['’]/g, '').match(word) ?? []).map((part) => part.toLowerCase())

/** Strapi 5's limit, below those of the databases it supports. */
const longest = 55
const hashLength = 5

/** `weightKg2` is `weight_kg_2`, `año` is `ano`. */
export const snakeCase = (name: string): string => wordsOf(name).join('_')

/** Strapi's name for the content of a folder: `blog_posts` is `blog-posts`, `page2` stays. */
export const folderName = (folder: string): string =>
  /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder) ? folder : wordsOf(folder).join('-')

function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const hash = createHash('shake256', { outputLength: Math.ceil(hashLength / 2) })
    .update(text)
    .digest('hex')
  return text.slice(0, length - hashLength) + hash.slice(0, hashLength)
}

/** Equal shares. Unused letters of short parts go to the long ones. */
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

/** Names of definitions are cut if the whole is too long, and Strapi's own parts stay. */
function fit(before: readonly string[], given: readonly string[], after: readonly string[]): string {
  const whole = [...before, ...given, ...after].join('_')
  if (whole.length <= longest) return whole
  const lengths = given.map(({ length }) => length)
  const taken = whole.length - lengths.reduce((sum, length) => sum + length, 0)
  const shares = share(lengths, longest - taken)
  const shortened = given.map((text, place) => cut(text, shares[place] ?? 0))
  return [...before, ...shortened, ...after].join('_')
}

export const identifier = (given: readonly string[], ...endings: readonly string[]): string =>
  fit([], given, endings)

export const tableName = (collectionName: string): string => identifier([collectionName])
export const componentTableName = (collectionName: string): string => identifier([collectionName], 'cmps')
export const columnName = (attribute: string): string => identifier([snakeCase(attribute)])
export const keyName = (name: string): string => identifier([snakeCase(name)], 'id')
export const orderName = (name: string): string => identifier([snakeCase(name)], 'ord')

export const linkTableName = (table: string, attribute: string): string =>
  identifier([snakeCase(table), snakeCase(attribute)], 'lnk')

export const inverseName = (name: string, ending: 'id' | 'ord'): string =>
  fit(['inv'], [snakeCase(name)], [ending])

const letters = new Intl.Collator('und', { sensitivity: 'base' })

/** Most collations of MySQL and MariaDB ignore case and accents. */
export const areTwins = (one: string, other: string): boolean => letters.compare(one, other) === 0
