import type { Database } from '../../lib/database'
import { type Condition, type MatchText, nothing, type PlacedAttribute, type Score } from '../../lib/plan'
import { dialectOf, type Sql } from '../../lib/sql'
import { ignoresWord, languagesOf } from './languages'
import { attributesOf, type SearchSettings } from './searched-types'
import { readSearchText, type Term, wordOf } from './search-text'
import { haveAll, termWriter } from './word-index'

type WeightedAttribute = PlacedAttribute & { readonly weight: number }

/** The attributes belong to the same entries. */
type TermMet = (places: readonly WeightedAttribute[], term: Term) => Condition<never>

/** One condition for the own attributes that all entries show, and one for each other. */
function matchTerm(met: TermMet, places: readonly WeightedAttribute[], term: Term): Condition<never> {
  const own = places.filter(({ isOwn }) => isOwn)
  const others = places.filter(({ isOwn }) => !isOwn).map((place) => [place])
  const found = { op: 'or', of: [own, ...others].map((together) => met(together, term)) } as const
  return term.isExcluded ? { op: 'not', of: found } : found
}

/** A whole word counts twice, a beginning of a word once. */
function scoresOf(met: TermMet, place: WeightedAttribute, term: Term): readonly Score[] {
  const { weight } = place
  const whole = { where: met([place], { ...term, isPrefix: false }), points: weight }
  return term.isPrefix
    ? [whole, { where: met([place], term), points: weight }]
    : [{ ...whole, points: 2 * weight }]
}

/**
 * The score of an entry depends on this entry and its links alone. The rank functions of the databases count words in all
 * rows, so that hidden rows would change the order.
 */
export function makeMatcher(settings: SearchSettings, database: Database): MatchText {
  const write = termWriter(database.dialect, dialectOf(database))
  const metBy =
    (by: 'row' | 'set'): TermMet =>
    (places, term) => {
      const [place] = places
      if (place === undefined) return nothing
      const { model, among, isOwn } = place
      const columns = places.map(({ column }) => column)
      const languages = languagesOf(settings.languages, model, database)
      const rows = { model, columns, term, languages, by: isOwn ? by : 'set' } as const
      return among({ op: 'written', columns, write: (alias) => write(alias, rows) })
    }
  return (model, text, placeAttribute) => {
    const attributes = attributesOf(settings.types, model)
    if (attributes === null) return null
    const { terms } = readSearchText(database.dialect, text)
    const languages = languagesOf(settings.languages, model, database)
    const places = Object.entries(attributes).flatMap(([path, weight]): readonly WeightedAttribute[] => {
      const place = placeAttribute(path)
      return place === null ? [] : [{ ...place, weight }]
    })
    const found = terms.filter(({ isExcluded }) => !isExcluded)
    const isIndexed = [1, Object.keys(attributes).length].includes(places.length)
    const areOwn = places.every(({ isOwn }) => isOwn)
    const isNarrowed = database.dialect === 'mysql' && isIndexed && areOwn && found.length > 0
    const columns = places.map(({ column }) => column)
    // An index has exactly these attributes. The index finds the entries, and then each entry is tested.
    const narrowed: Condition<never>[] = isNarrowed
      ? [{ op: 'written', columns, write: (alias) => haveAll(alias, columns, found) }]
      : []
    const met = metBy(isNarrowed ? 'row' : 'set')
    const match = (term: Term): Condition<never> => matchTerm(met, places, term)
    // Entries need no stop words, except for a query of stop words only.
    const isOptional = languages.length > 0 && found.length > 0
    const orIgnored = (term: Term): Condition<never> => {
      const word = wordOf(term)
      if (word === null || term.isExcluded || !isOptional) return match(term)
      const writeIgnored = (alias: string): Sql => ignoresWord(alias, languages, word, found)
      return { op: 'or', of: [match(term), { op: 'written', columns: [], write: writeIgnored }] }
    }
    const some: Condition<never>[] = isOptional ? [{ op: 'or', of: found.map(match) }] : []
    const isNothing = terms.length === 0 || places.length === 0
    return {
      where: isNothing ? nothing : { op: 'and', of: [...narrowed, ...terms.map(orIgnored), ...some] },
      sortKey: '_rank',
      scores: found.flatMap((term) => places.flatMap((place) => scoresOf(met, place, term))),
    }
  }
}
