import { malformed } from '../../lib/errors'
import type {
  PermittedList,
  PlannedReading,
  ReadEntries,
  ReadingRequest,
  ReadingSettings,
} from '../../lib/http'
import { isRawList, type QuerySort, type Raw, type RawObject } from '../../lib/query'
import { compile, joined, keyOf, makeScope, sql, sumOfScores, valueOf } from '../../lib/sql'
import { highlight } from './highlight'
import { ignoresWord, type Language, languagesOf, markForms } from './languages'
import { attributesOf, type SearchedAttributes, type SearchSettings } from './searched-types'
import { readSearchText, type SearchText, wordOf } from './search-text'

const parameter = 'highlight'

/** Names of attributes: `title,body`, or a list. */
function keysIn(raw: Raw | undefined): readonly QuerySort[] {
  const texts = isRawList(raw) ? raw : raw === undefined ? [] : [raw]
  return texts.flatMap((text) => {
    if (typeof text !== 'string')
      throw malformed([parameter], 'Invalid highlight parameter. Expected names of attributes')
    return text.split(',').map((name): QuerySort => {
      return { names: [name.trim()], direction: 'asc', isDirected: false, path: [parameter] }
    })
  })
}

/** Longer texts are searched, and their ends are not highlighted. */
const mostCharacters = 20_000

interface MetaSettings {
  readonly list: PermittedList
  readonly attributes: SearchedAttributes
  readonly text: SearchText
  readonly languages: readonly Language[]
  readonly showsRanks: boolean
}

/** Reads the texts and points of the page, by the ids of its entries. */
function readMeta(
  settings: ReadingSettings,
  { list, attributes, text, languages, showsRanks }: MetaSettings,
): ReadEntries {
  const { keys, permitted } = list
  const { model } = permitted.root
  // A hidden attribute is unknown. So attributes are permitted first.
  for (const { column: own, steps } of keys)
    if (steps.length > 0 || attributes[own.name] === undefined)
      throw malformed([parameter], `Invalid highlight parameter: ${own.name} is not a searched attribute`)
  const scores = showsRanks ? permitted.root.order.find((order) => order.scores !== undefined)?.scores : []
  if (scores === undefined) throw malformed(['ranks'], 'The parameter ranks needs the sort _rank')
  const scope = makeScope(settings)
  const rows = { alias: scope.alias(), model }
  const terms = text.terms.filter(({ isExcluded }) => !isExcluded)
  const texts = keys.map(({ column: own }) =>
    sql('substr(?, 1, ?)', [valueOf(scope, rows.alias, own), mostCharacters]),
  )
  const words = languages.length === 0 ? [] : terms.flatMap((term) => wordOf(term) ?? [])
  const ignores = words.map((word) => ignoresWord(rows.alias, languages, word, terms))
  const columns = [
    sql('??', [keyOf(rows)]),
    sumOfScores(scope, rows, scores),
    ...ignores.map((one) => sql('case when ? then 1 else 0 end', [one])),
    ...texts,
    ...(words.length === 0 ? [] : texts.map((one) => markForms(rows.alias, languages, one, words))),
  ]
  const tables = [model.table, rows.alias, scope.dialect.ids.isAmong(keyOf(rows))]
  const statement = compile(scope, sql('select ? from ?? as ?? where ?', [joined(columns, ', '), ...tables]))
  const isRead = keys.length > 0 || showsRanks || words.length > 0
  return async (run, page) => {
    const found = isRead && page.length > 0 ? await run(statement, page) : []
    const stopWords = words.filter((_, at) => found.some((row) => Number(row[2 + at]) === 1))
    const asked = terms.filter((term) => !stopWords.includes(wordOf(term) ?? ''))
    const fragmentsOf = (read: readonly unknown[]): object =>
      Object.fromEntries(
        keys.flatMap(({ column: own }, at): [string, string][] => {
          const made = highlight(read[at], asked, read[keys.length + at])
          return made === null ? [] : [[own.name, made]]
        }),
      )
    const ranks = found.map(([id, points]) => [String(id), -Number(points)])
    const highlights = found.map(([id, ...read]) => [String(id), fragmentsOf(read.slice(1 + words.length))])
    const search = {
      ignored: [...text.ignored, ...stopWords],
      ...(showsRanks ? { ranks: Object.fromEntries(ranks) as object } : {}),
      ...(keys.length > 0 ? { highlights: Object.fromEntries(highlights) as object } : {}),
    }
    return { search }
  }
}

/** Plans `meta.search` beside a list: ignored words, highlights and points. */
export const planSearchMeta =
  ({ types, languages }: SearchSettings) =>
  (raw: RawObject, { model }: ReadingRequest): PlannedReading | null => {
    const { highlight: asked, ranks, ...query } = raw
    const text = raw['_q']
    const attributes = attributesOf(types, model)
    const isSearch = attributes !== null && typeof text === 'string' && text !== ''
    const unused = asked !== undefined ? parameter : ranks !== undefined ? 'ranks' : null
    if (!isSearch && unused !== null)
      throw malformed([unused], `The parameter ${unused} needs a search with _q`)
    if (!isSearch) return null
    if (ranks !== undefined && ranks !== 'true' && ranks !== 'false')
      throw malformed(['ranks'], 'Invalid ranks parameter. Expected true or false')
    const showsRanks = ranks === 'true'
    return {
      query,
      keys: keysIn(asked),
      compile: (list, settings) => {
        const { database } = settings
        const read = readSearchText(database.dialect, text)
        const spoken = languagesOf(languages, model, database)
        return readMeta(settings, { list, attributes, text: read, languages: spoken, showsRanks })
      },
    }
  }
