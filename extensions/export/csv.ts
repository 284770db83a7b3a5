import type { Branch, Level } from '../../lib/plan'

/** A column of the CSV: its name, and its value in an entry. */
interface CsvColumn {
  readonly name: string
  readonly valueIn: (entry: unknown) => unknown
}

const memberOf = (entry: unknown, name: string): unknown =>
  typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined

/** Options can wrap relations in `{ data }`. An entry always has an id. */
function unwrapped(value: unknown): unknown {
  const isWrapped = memberOf(value, 'id') === undefined && memberOf(value, 'data') !== undefined
  return isWrapped ? memberOf(value, 'data') : value
}

/** The entry of a relation to one type; null for lists, counts and relations to several types. */
function onlyTarget({ field, answer, targets }: Branch<never>): Level<never> | null {
  const [target, another] = targets.values()
  const isOne = !field.many && answer === 'entries' && field.targets.length === 1 && another === undefined
  return isOne && target !== undefined ? target : null
}

/** The columns of a level, then those of its relations, as in JSON. */
export function csvColumns({ columns, branches }: Level<never>): readonly CsvColumn[] {
  const own = columns.map(({ name }) => ({ name, valueIn: (entry: unknown) => memberOf(entry, name) }))
  const linked = branches.flatMap((branch): readonly CsvColumn[] => {
    const { name } = branch.field
    const target = onlyTarget(branch)
    if (target === null) return [{ name, valueIn: (entry) => memberOf(entry, name) }]
    return csvColumns(target).map((column) => ({
      name: `${name}.${column.name}`,
      valueIn: (entry) => column.valueIn(unwrapped(memberOf(entry, name))),
    }))
  })
  return [...own, ...linked]
}

const special = /[",\r\n]/

/** RFC 4180. An empty text is quoted, and null is not. */
const quoted = (text: string): string =>
  text === '' || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** Spreadsheets run texts with these first characters. */
const formula = /^[=+\-@\t\r]/

export type WriteCells = (values: readonly unknown[]) => string

/** Writes a line of cells. */
export function cellWriter(escapesFormulas: boolean): WriteCells {
  const cellOf = (value: unknown): string => {
    if (value === null || value === undefined) return ''
    if (typeof value === 'string') return quoted(escapesFormulas && formula.test(value) ? `'${value}` : value)
    return quoted(JSON.stringify(value))
  }
  return (values) => `${values.map(cellOf).join(',')}\r\n`
}
