import type { KeptAs } from '../schema'
import { type ActualColumns, isUnlikeItsIndex } from './read-tables'

/** So many of 64 KB fit, with all that a row holds besides, into the 256 KB in which MySQL sorts rows by itself. */
const mostTexts = 2

const pages = /^(?:medium|long)text/
const lines = /^(?:varchar\((\d+)\)|tinytext)/
/** What MySQL sorts a text by may be a hundred times as long as the text is. */
const longestLine = 255

/** How a table of MySQL keeps what is in a column; null where no limit is known of it. */
export function keptAs(tables: ActualColumns, table: string, column: string): KeptAs | null {
  const columns = tables.get(table)
  const type = columns?.get(column)
  if (columns === undefined || type === undefined) return null
  if (/^(?:float|year|enum|set|bit|char)/.test(type)) return 'rough'
  const [line, length = '0'] = lines.exec(type) ?? []
  if (line !== undefined && Number(length) <= longestLine) return isUnlikeItsIndex(type) ? 'rough' : 'line'
  if (line === undefined && !/^(?:medium|long)?text/.test(type)) return null
  if (isUnlikeItsIndex(type)) return 'crowded'
  if (pages.test(type)) return 'pages'
  if (line !== undefined) return 'text'
  const texts = [...columns.values()].filter((other) => other === type)
  return texts.length > mostTexts ? 'crowded' : 'text'
}
