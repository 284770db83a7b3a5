import type { Database } from '../../lib/database'
import { type Condition, everything, type MatchText, nothing, type Score } from '../../lib/plan'
import type { Column } from '../../lib/schema'
import { dialectOf } from '../../lib/sql'
import { attributesOf, searchedColumns, type SearchedTypes, type WeightedColumn } from './searched-types'
import { readSearchText, type Term } from './search-text'
import { termWriter } from './word-index'

type TermMet = (columns: readonly Column[], term: Term) => Condition<never>

/** One condition for the attributes that all entries show, and one for each other: it holds only in entries that show it. */
function matchTerm(met: TermMet, columns: readonly WeightedColumn[], term: Term): Condition<never> {
  const own = columns.map(({ column }) => column)
  const shown = own.filter(({ shownIn }) => shownIn === undefined)
  const hidden = own.filter(({ shownIn }) => shownIn !== undefined)
  const ways = [
    ...(shown.length > 0 ? [met(shown, term)] : []),
    ...hidden.map((column) => met([column], term)),
  ]
  // A hidden word excludes no entry.
  if (term.isExcluded) return shown.length > 0 ? met(shown, term) : everything
  const [only = nothing] = ways
  return ways.length > 1 ? { op: 'or', of: ways } : only
}

/** A whole word counts twice, a beginning of a word once. */
function scoresOf(met: TermMet, { column, weight }: WeightedColumn, term: Term): readonly Score[] {
  const whole = { where: met([column], { ...term, isPrefix: false }), points: weight }
  return term.isPrefix
    ? [whole, { where: met([column], term), points: weight }]
    : [{ ...whole, points: 2 * weight }]
}

export const rankName = '_rank'

/**
 * The score of an entry depends on this entry alone. The rank functions of the databases count words in all rows, so that
 * hidden rows would change the order.
 */
export function makeMatcher(types: SearchedTypes, database: Database): MatchText {
  const write = termWriter(database.dialect, dialectOf(database))
  return (model, text) => {
    const attributes = attributesOf(types, model)
    if (attributes === null) return null
    const { terms } = readSearchText(database.dialect, text)
    const columns = searchedColumns(model, attributes)
    const met: TermMet = (own, term) => ({
      op: 'written',
      columns: own,
      write: (alias) => write(alias, { model, columns: own, term }),
    })
    const isNothing = terms.length === 0 || columns.length === 0
    return {
      where: isNothing ? nothing : { op: 'and', of: terms.map((term) => matchTerm(met, columns, term)) },
      sortKey: rankName,
      scores: terms
        .filter(({ isExcluded }) => !isExcluded)
        .flatMap((term) => columns.flatMap((column) => scoresOf(met, column, term))),
    }
  }
}
