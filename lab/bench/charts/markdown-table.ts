const line = (cells: readonly string[], widths: readonly number[]): string =>
  `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`

/** As Prettier writes it. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...rows].map((cells) => cells[at]?.length ?? 0)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [head, rule, ...rows].map((cells) => line(cells, widths)).join('')
}

/** Puts a table in place of the first one after a text. */
export function replaceTable(page: string, after: string, table: string): string {
  const from = page.indexOf(after)
  const old = from < 0 ? null : /^(?:\|.*\n)+/m.exec(page.slice(from))
  if (old === null) throw new Error(`No table after: ${after}`)
  const start = from + old.index
  return page.slice(0, start) + table + page.slice(start + old[0].length)
}
