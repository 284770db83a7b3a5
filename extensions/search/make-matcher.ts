import type { Database } from '../../lib/database'
import { type Condition, type MatchText, nothing, type Score } from '../../lib/plan'
import type { Column } from '../../lib/schema'
import { dialectOf, type Sql } from '../../lib/sql'
import { ignoresWord, languagesOf } from './languages'
import { attributesOf, searchedColumns, type SearchSettings, type WeightedColumn } from './searched-types'
import { readSearchText, type Term, wordOf } from './search-text'
import { termWriter } from './word-index'

type TermMet = (columns: readonly Column[], term: Term) => Condition<never>

/** One condition for the attributes that all entries show, and one for each other: it holds only in entries that show it. */
function matchTerm(met: TermMet, columns: readonly WeightedColumn[], term: Term): Condition<never> {
  const own = columns.map(({ column }) => column)
  const shown = own.filter(({ shownIn }) => shownIn === undefined)
  const inShown = shown.length > 0 ? [met(shown, term)] : []
  // A hidden word excludes no entry.
  if (term.isExcluded) return { op: 'and', of: inShown }
  const hidden = own.filter(({ shownIn }) => shownIn !== undefined)
  return { op: 'or', of: [...inShown, ...hidden.map((column) => met([column], term))] }
}

/** A whole word counts twice, a beginning of a word once. */
function scoresOf(met: TermMet, { column, weight }: WeightedColumn, term: Term): readonly Score[] {
  const whole = { where: met([column], { ...term, isPrefix: false }), points: weight }
  return term.isPrefix
    ? [whole, { where: met([column], term), points: weight }]
    : [{ ...whole, points: 2 * weight }]
}

/**
 * The score of an entry depends on this entry alone. The rank functions of the databases count words in all rows, so that
 * hidden rows would change the order.
 */
export function makeMatcher(settings: SearchSettings, database: Database): MatchText {
  const write = termWriter(database.dialect, dialectOf(database))
  return (model, text) => {
    if (attributesOf(settings.types, model) === null) return null
    const { terms } = readSearchText(database.dialect, text)
    const languages = languagesOf(settings.languages, model, database)
    const columns = searchedColumns(settings.types, model)
    const met: TermMet = (own, term) => ({
      op: 'written',
      columns: own,
      write: (alias) => write(alias, { model, columns: own, term, languages }),
    })
    const found = terms.filter(({ isExcluded }) => !isExcluded)
    const match = (term: Term): Condition<never> => matchTerm(met, columns, term)
    // Entries need no stop words, except for a query of stop words only.
    const isOptional = languages.length > 0 && found.length > 0
    const orIgnored = (term: Term): Condition<never> => {
      const word = wordOf(term)
      if (word === null || term.isExcluded || !isOptional) return match(term)
      const write = (alias: string): Sql => ignoresWord(alias, languages, word, found)
      return { op: 'or', of: [match(term), { op: 'written', columns: [], write }] }
    }
    const some: Condition<never>[] = isOptional ? [{ op: 'or', of: found.map(match) }] : []
    const isNothing = terms.length === 0 || columns.length === 0
    return {
      where: isNothing ? nothing : { op: 'and', of: [...terms.map(orIgnored), ...some] },
      sortKey: '_rank',
      scores: found.flatMap((term) => columns.flatMap((column) => scoresOf(met, column, term))),
    }
  }
}
