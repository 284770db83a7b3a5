import type { ToldColumn } from './decode'

/** A row of a table that was changed, as far as the log tells. */
export interface ChangedRow {
  /** Its number before and after. */
  readonly ids: readonly string[]
  /** The documents that it belonged to and belongs to. What it belonged to is told where the table's replica identity is full. */
  readonly documents: readonly string[]
  /** Whether it was published before, or is by now; null where neither is told. */
  readonly isPublished: boolean | null
  /** The columns that hold something else than before; null where it is new or gone, or where that is not told. */
  readonly columns: ReadonlySet<string> | null
}

/** What a row held in each column: null is NULL, undefined is not told. */
type ToldValues = readonly (Buffer | null | undefined)[]

const sign = (bytes: Buffer, at: number): string => String.fromCharCode(bytes.readUInt8(at))

function readValues(bytes: Buffer, from: number): { readonly values: ToldValues; readonly end: number } {
  let at = from + 2
  const values = Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const kind = sign(bytes, at)
    at += 1
    if (kind === 'n') return null
    if (kind === 'u') return undefined
    if (kind !== 't') throw new Error('a value of no known kind')
    const start = at + 4
    at = start + bytes.readUInt32BE(at)
    if (at > bytes.length) throw new Error('a value without an end')
    return bytes.subarray(start, at)
  })
  return { values, end: at }
}

interface OldAndNew {
  readonly before: ToldValues | null
  readonly after: ToldValues | null
}

/** Before the row as it is may stand what it was: all of it, or what tells it from others. */
function oldAndNew(bytes: Buffer, columns: readonly ToldColumn[]): OldAndNew {
  if (sign(bytes, 0) === 'N') return { before: null, after: readValues(bytes, 1).values }
  const { values, end } = readValues(bytes, 1)
  const before = values.map((value, at) => (columns[at]?.isKey === true ? value : undefined))
  return { before, after: end < bytes.length ? readValues(bytes, end + 1).values : null }
}

function changedColumns({ before, after }: OldAndNew, columns: readonly ToldColumn[]): Set<string> | null {
  if (before === null || after === null) return null
  const changed = new Set<string>()
  for (const [at, { name }] of columns.entries()) {
    const [was, is] = [before[at], after[at]]
    // A long value that was left as it is is not told again.
    if (is === undefined) continue
    if (was === undefined) return null
    if (was === null || is === null ? was !== is : !was.equals(is)) changed.add(name)
  }
  return changed
}

/** Null where it is not told which row it is. */
export function readChangedRow(bytes: Buffer, columns: readonly ToldColumn[]): ChangedRow | null {
  const told = oldAndNew(bytes, columns)
  const { before, after } = told
  const valuesOf = (name: string): readonly (Buffer | null)[] => {
    const at = columns.findIndex((column) => column.name === name)
    return [before?.[at], after?.[at]].filter((value) => value !== undefined)
  }
  const textsOf = (name: string): readonly string[] => [
    ...new Set(valuesOf(name).flatMap((value) => (value === null ? [] : [value.toString('utf8')]))),
  ]
  const ids = textsOf('id')
  if (ids.length === 0) return null
  const published = valuesOf('published_at')
  return {
    ids,
    documents: textsOf('document_id'),
    isPublished: published.length === 0 ? null : published.some((value) => value !== null),
    columns: changedColumns(told, columns),
  }
}
