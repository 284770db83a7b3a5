import { malformed } from '../../lib/errors'
import type { PlannedReading, ReadingRequest } from '../../lib/http'
import { isRawList, type QuerySort, type Raw, type RawObject } from '../../lib/query'
import { compile, joined, keyOf, makeScope, sql, sumOfScores, valueOf } from '../../lib/sql'
import { highlight } from './highlight'
import { ignoresWord, languagesOf, markForms } from './languages'
import { attributesOf, type SearchSettings } from './searched-types'
import { readSearchText, wordOf } from './search-text'

const path = ['highlight']

/** Names of attributes: `title,body`, or a list. */
const keysIn = (raw: Raw = []): readonly QuerySort[] =>
  (isRawList(raw) ? raw : [raw]).flatMap((text) => {
    if (typeof text !== 'string' || text.includes('.'))
      throw malformed(path, 'Invalid highlight parameter. Expected names of attributes of the entry')
    const key = { direction: 'asc', isDirected: false, path } as const
    return text.split(',').map((name) => ({ names: [name.trim()] as const, ...key }))
  })

/** Longer texts are searched, and their ends are not highlighted. */
const mostCharacters = 20_000

/** Reads the texts and points of the page, by the ids of its entries. */
const readMeta =
  (
    { types, languages: known }: SearchSettings,
    text: string,
    showsRanks: boolean,
  ): PlannedReading['compile'] =>
  ({ keys, permitted }, settings) => {
    const { model } = permitted.root
    const languages = languagesOf(known, model, settings.database)
    const { terms: all, ignored } = readSearchText(settings.database.dialect, text)
    const terms = all.filter(({ isExcluded }) => !isExcluded)
    // A hidden attribute is unknown. So attributes are permitted first.
    const names = keys.map(({ column, steps }) => steps[0]?.field.name ?? column.name)
    const other = names.find((name) => attributesOf(types, model)?.[name] === undefined)
    if (other !== undefined)
      throw malformed(path, `Invalid highlight parameter: ${other} is not a searched attribute`)
    const scores = showsRanks ? permitted.root.order.find((order) => order.scores !== undefined)?.scores : []
    if (scores === undefined) throw malformed(['ranks'], 'The parameter ranks needs the sort _rank')
    const scope = makeScope(settings)
    const rows = { alias: scope.alias(), model }
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
    const made = sql('select ? from ?? as ?? where ?', [joined(columns, ', '), ...tables])
    const statement = compile(scope, made)
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
        ignored: [...ignored, ...stopWords],
        ...(showsRanks ? { ranks: Object.fromEntries(ranks) as object } : {}),
        ...(keys.length > 0 ? { highlights: Object.fromEntries(highlights) as object } : {}),
      }
      return { search }
    }
  }

/** Plans `meta.search` beside a list: ignored words, highlights and points. */
export const planSearchMeta =
  (settings: SearchSettings) =>
  (raw: RawObject, { model }: ReadingRequest): PlannedReading | null => {
    const { highlight: asked, ranks, ...query } = raw
    const text = raw['_q']
    if (attributesOf(settings.types, model) === null || typeof text !== 'string' || text === '') {
      const [unused] = Object.keys({ highlight: asked, ranks }).filter((name) => raw[name] !== undefined)
      if (unused === undefined) return null
      throw malformed([unused], `The parameter ${unused} needs a search with _q`)
    }
    if (ranks !== undefined && ranks !== 'true' && ranks !== 'false')
      throw malformed(['ranks'], 'Invalid ranks parameter. Expected true or false')
    return { query, keys: keysIn(asked), compile: readMeta(settings, text, ranks === 'true') }
  }
