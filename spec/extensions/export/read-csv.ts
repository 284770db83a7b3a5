/** The cells of RFC 4180: lines end with CRLF, and quotes hold any text. Unquoted empty cells are null. */
export function readCsv(text: string): readonly (readonly (string | null)[])[] {
  const lines: (string | null)[][] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  let line: (string | null)[] = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const [, quoted, plain = '', end] = cell.exec(text) ?? []
    if (end === undefined)
      throw new Error(`no cell of RFC 4180 begins at ${String(at)}: ${text.slice(at, at + 40)}`)
    line.push(quoted === undefined ? (plain === '' ? null : plain) : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    lines.push(line)
    line = []
  }
  return lines
}
