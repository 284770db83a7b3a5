import { malformed } from '../../lib/errors'
import type {
  PermittedList,
  PlannedReading,
  ReadEntries,
  ReadingRequest,
  ReadingSettings,
} from '../../lib/http'
import { isRawList, type QuerySort, type Raw, type RawObject } from '../../lib/query'
import {
  column,
  compile,
  joined,
  keyOf,
  makeScope,
  type NamedRows,
  type Sql,
  sql,
  type SqlScope,
  sumOfScores,
  valueOf,
} from '../../lib/sql'
import { highlight } from './highlight'
import { attributesOf, type SearchedAttributes, type SearchedTypes } from './searched-types'
import { readSearchText, type Term } from './search-text'

const parameter = 'highlight'

/** Names of attributes: `title,body`, or a list. */
function keysIn(raw: Raw | undefined): readonly QuerySort[] {
  if (raw === undefined) return []
  const texts = isRawList(raw) ? raw : [raw]
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
  readonly attributes: SearchedAttributes | null
  readonly terms: readonly Term[]
  readonly showsRanks: boolean
}

/** The points of an entry, as they sort the list. */
function pointsOf(scope: SqlScope, rows: NamedRows, { permitted }: PermittedList): Sql {
  const scores = permitted.root.order.find((order) => order.scores !== undefined)?.scores
  if (scores === undefined) throw malformed(['ranks'], 'The parameter ranks needs the sort _rank')
  return sumOfScores(scope, rows, scores)
}

/** Reads the texts and points of the page, by the ids of its entries. */
function readMeta(
  settings: ReadingSettings,
  { list, attributes, terms, showsRanks }: MetaSettings,
): ReadEntries {
  const { keys, permitted } = list
  const { model } = permitted.root
  // A hidden attribute is unknown. So attributes are permitted first.
  for (const { column: own, steps } of keys)
    if (steps.length > 0 || attributes?.[own.name] === undefined)
      throw malformed([parameter], `Invalid highlight parameter: ${own.name} is not a searched attribute`)
  const scope = makeScope(settings)
  const rows = { alias: scope.alias(), model }
  const documentId = model.columns.get('documentId')
  if (documentId === undefined) throw new Error(`${model.uid} has no document id`)
  const columns = [
    sql('??', [column(rows.alias, documentId.column)]),
    showsRanks ? pointsOf(scope, rows, list) : sql('0'),
    ...keys.map((key) => sql('substr(?, 1, ?)', [valueOf(scope, rows.alias, key.column), mostCharacters])),
  ]
  const tables = [model.table, rows.alias, scope.dialect.ids.isAmong(keyOf(rows))]
  const statement = compile(scope, sql('select ? from ?? as ?? where ?', [joined(columns, ', '), ...tables]))
  const fragmentsOf = (texts: readonly unknown[]): object =>
    Object.fromEntries(
      keys.flatMap(({ column: own }, at): [string, string][] => {
        const text = texts[at]
        const made = typeof text === 'string' ? highlight(text, terms) : null
        return made === null ? [] : [[own.name, made]]
      }),
    )
  return async (run, page) => {
    const found = page.length === 0 ? [] : await run(statement, page)
    const ranks = found.map(([id, points]) => [String(id), -Number(points)])
    const highlights = found.map(([id, , ...texts]) => [String(id), fragmentsOf(texts)])
    return {
      ...(showsRanks ? { ranks: Object.fromEntries(ranks) as object } : {}),
      ...(keys.length > 0 ? { highlights: Object.fromEntries(highlights) as object } : {}),
    }
  }
}

/** Plans `meta.search` beside a list: ignored words, highlights and points. */
export const planSearchMeta =
  (types: SearchedTypes) =>
  (raw: RawObject, { model }: ReadingRequest): PlannedReading | null => {
    const { highlight: asked, ranks, ...query } = raw
    const text = raw['_q']
    const attributes = attributesOf(types, model)
    const isSearch = attributes !== null && typeof text === 'string' && text !== ''
    if (!isSearch && asked !== undefined)
      throw malformed([parameter], 'The parameter highlight needs a search with _q')
    if (!isSearch) return null
    const keys = keysIn(asked)
    const showsRanks = ranks === 'true'
    return {
      query,
      keys,
      compile: (list, settings) => {
        const { ignored, terms } = readSearchText(settings.database.dialect, text)
        const found = terms.filter(({ isExcluded }) => !isExcluded)
        const isRead = keys.length > 0 || showsRanks
        const read = isRead ? readMeta(settings, { list, attributes, terms: found, showsRanks }) : null
        return async (run, page) => ({ search: { ignored, ...(await read?.(run, page)) } })
      },
    }
  }
