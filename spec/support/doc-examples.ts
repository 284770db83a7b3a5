// Examples in the docs: requests in `http` blocks with the response in the next `json` block, and tables with a column of
// requests. Both blocks may have a word behind their language, which names how the router is set up.

export interface DocRequest {
  readonly method: string
  /** From the root of the site. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface DocExample {
  readonly request: DocRequest
  readonly answer: unknown
}

/** A row of a table, by the heads of its columns. */
export type DocRow = Readonly<Record<string, string>>

const requestColumn = '`GET /api/…`'

function readRequest(text: string): DocRequest {
  const [first = '', ...lines] = text.trim().split('\n')
  const [method = '', path = ''] = first.split(/ (.*)/)
  const headers = lines.map((line): [string, string] => {
    const [name = '', value = ''] = line.split(': ')
    return [name, value]
  })
  return { method, path, headers: Object.fromEntries(headers) }
}

export function examplesIn(page: string, setup = ''): readonly DocExample[] {
  const word = setup === '' ? '' : ` ${setup}`
  const blocks = new RegExp('```http' + word + '\\n(.*?)```\\n\\n```json' + word + '\\n(.*?)```', 'gs')
  return [...page.matchAll(blocks)].map(([, asked = '', came = '']) => ({
    request: readRequest(asked),
    answer: JSON.parse(came) as unknown,
  }))
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

/** The rows of all tables that have a column of requests. */
export function rowsIn(page: string): readonly DocRow[] {
  return [...page.matchAll(/^\|.*(?:\n\|.*)*/gm)].flatMap(([table]) => {
    const [head = '', , ...rows] = table.split('\n')
    const names = cellsOf(head)
    if (!names.includes(requestColumn)) return []
    return rows.map((row) =>
      Object.fromEntries(cellsOf(row).map((cell, index) => [names[index] ?? '', cell])),
    )
  })
}

export const withoutTicks = (text: string): string => text.replace(/^`|`$/g, '')

export const requestOf = (row: DocRow): string => withoutTicks(row[requestColumn] ?? '')

/** Stands for one or more elements of a list, for one or more keys of an object (on both sides), or for any value. */
const leftOut = '…'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isSameList(shown: readonly unknown[], came: readonly unknown[]): boolean {
  const gap = shown.indexOf(leftOut)
  if (gap < 0) return shown.length === came.length && shown.every((value, at) => isShownAs(value, came[at]))
  const [before, after] = [shown.slice(0, gap), shown.slice(gap + 1)]
  if (!before.every((value, at) => isShownAs(value, came[at]))) return false
  return came.some((_, at) => at >= gap && isSameList(after, came.slice(at + 1)))
}

function isSameObject(
  shown: Readonly<Record<string, unknown>>,
  came: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(shown).filter((name) => name !== leftOut)
  const more = Object.keys(came).length - names.length
  const isWhole = leftOut in shown ? more > 0 : more === 0
  return isWhole && names.every((name) => Object.hasOwn(came, name) && isShownAs(shown[name], came[name]))
}

/** Whether an answer is what a page shows of it. */
export function isShownAs(shown: unknown, came: unknown): boolean {
  if (shown === leftOut) return came !== undefined
  if (Array.isArray(shown)) return Array.isArray(came) && isSameList(shown, came)
  if (isObject(shown)) return isObject(came) && isSameObject(shown, came)
  return shown === came
}
