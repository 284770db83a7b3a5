import { isTable } from '../../lib/config'
import type { Database } from '../../lib/database'
import { isText, localeColumn, type Model, type ValueCheck } from '../../lib/schema'
import { anyOf, joined, type Sql, sql } from '../../lib/sql'
import { foldText, type Term } from './search-text'

/** Text search configurations of PostgreSQL, by locale: `{ en: 'english' }`. The locale `*` is for types without locales. */
export type SearchLanguages = Readonly<Record<string, string>>

export type Language = readonly [locale: string, configuration: string]

const withoutLocale = '*'

/** The languages of a type. Only PostgreSQL knows the forms of words. */
export const languagesOf = (
  languages: SearchLanguages,
  { localized }: Model,
  { dialect }: Database,
): readonly Language[] =>
  Object.entries(languages).filter(
    ([locale]) => dialect === 'postgres' && (locale !== withoutLocale) === localized,
  )

/** The names are part of statements. */
export const languagesCheck: ValueCheck = {
  fits: (languages) =>
    isTable(languages) &&
    Object.entries(languages).every(
      ([locale, name]) => /^(\*|[\w-]+)$/.test(locale) && isText(name) && /^[a-z_][a-z0-9_]*$/.test(name),
    ),
  problem: 'languages must be an object with a text search configuration of PostgreSQL for each locale',
  remedy: `write languages: { en: 'english' }`,
}

/** Punctuation separates words, so that all databases find the same words. */
const separators = String.raw`[\u0021-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u206F\u3000-\u303F]+`
const accents = String.raw`[\u0300-\u036F]+`

/** PostgreSQL fails on a longer text, and then the row could not be written. */
const longestText = 200_000

function plainText(text: string): string {
  const folded = `regexp_replace(normalize(${text}, NFKD), '${accents}', '', 'g')`
  return `left(regexp_replace(${folded}, '${separators}', ' ', 'g'), ${String(longestText)})`
}

const exact: Language = [withoutLocale, 'simple']

/** The words of a text, or their stems if the row is in the language, as SQL. */
export function wordsOfText(text: string, [locale, configuration] = exact): string {
  const words = `to_tsvector('${configuration}', ${plainText(text)})`
  return locale === withoutLocale ? words : `case when ${localeColumn.column} = '${locale}' then ${words} end`
}

/** The query is empty for a stop word. */
export const stemQuery = ([, configuration]: Language, word: string): Sql =>
  sql('plainto_tsquery(cast(? as regconfig), ?)', [configuration, foldText(word)])

const isSpoken = (alias: string, [locale]: Language): Sql =>
  locale === withoutLocale ? sql('true') : sql('?? = ?', [`${alias}.${localeColumn.column}`, locale])

/** Holds if the word is a stop word of the row, and other words are not. Without stop words, PostgreSQL drops the condition. */
export function ignoresWord(
  alias: string,
  languages: readonly Language[],
  word: string,
  terms: readonly Term[],
): Sql {
  const all = terms.flatMap(({ words }) => words).join(' ')
  return anyOf(
    languages.map((one) => {
      const queries = [stemQuery(one, word), stemQuery(one, all)]
      return sql('? and numnode(?) = 0 and numnode(?) > 0', [isSpoken(alias, one), ...queries])
    }),
  )
}

const marking = `ts_headline(cast(? as regconfig), ${plainText('?')}, ?, 'HighlightAll=true, StartSel=<, StopSel=>')`

/** Writes the text with `<` and `>` around the forms of the words. A plain text has no such characters of its own. */
export function markForms(
  alias: string,
  languages: readonly Language[],
  text: Sql,
  words: readonly string[],
): Sql {
  const ways = languages.map((one) => {
    const queries = words.map((word) => stemQuery(one, word))
    return sql(`when ? then ${marking}`, [isSpoken(alias, one), one[1], text, joined(queries, ' || ')])
  })
  return sql('case ? end', [joined(ways, ' ')])
}
