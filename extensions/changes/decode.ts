/** A place in the log. */
export type LogPlace = bigint

/** Where the log ends. It is looked up after the statement got its snapshot, so that all which that sees stands before it. */
export const endOfLog = `case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') end`

/** A column of a table whose changes are told. */
export interface ToldColumn {
  readonly name: string
  /** Told of what a row was, too, where another row may be meant. */
  readonly isKey: boolean
}

/** What the log tells, in the order in which transactions were committed. */
export type LogMessage =
  | { readonly kind: 'begin'; readonly transaction: number }
  /** The name of a table, before the first change of it, and again once it may be another. */
  | {
      readonly kind: 'table'
      readonly number: number
      readonly name: string
      readonly columns: readonly ToldColumn[]
    }
  /** `rows`: one as it was, as far as that is told, and as it is; null where all of the table is meant. */
  | { readonly kind: 'change'; readonly tables: readonly number[]; readonly rows: Buffer | null }
  | { readonly kind: 'commit'; readonly from: LogPlace; readonly end: LogPlace }
  /** All that was committed before this place has been told. */
  | { readonly kind: 'place'; readonly end: LogPlace; readonly wantsReply: boolean }
  /** Says nothing of what changed. */
  | { readonly kind: 'other' }

const other: LogMessage = { kind: 'other' }

/** Before what is told stand its kind, two places and a time. */
const headOfTold = 25

function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from)
  if (end < 0) throw new Error('a text without an end')
  return end
}

/** Behind each name stand the number of its type and what is said of that. */
const behindColumn = 8

function columnsIn(bytes: Buffer, from: number): readonly ToldColumn[] {
  let at = from + 2
  return Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const end = endOfText(bytes, at + 1)
    const column = { name: bytes.toString('utf8', at + 1, end), isKey: (bytes.readUInt8(at) & 1) === 1 }
    at = end + 1 + behindColumn
    return column
  })
}

function tableIn(bytes: Buffer): LogMessage {
  const from = endOfText(bytes, 5) + 1
  const end = endOfText(bytes, from)
  const name = bytes.toString('utf8', from, end)
  return { kind: 'table', number: bytes.readUInt32BE(1), name, columns: columnsIn(bytes, end + 2) }
}

const numbersIn = (bytes: Buffer, count: number, from: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => bytes.readUInt32BE(from + 4 * at))

/** The messages of pgoutput in its first version; what it might say in others is not known, and raises. */
function toldIn(bytes: Buffer): LogMessage {
  const kind = String.fromCharCode(bytes.readUInt8(0))
  switch (kind) {
    case 'B':
      return { kind: 'begin', transaction: bytes.readUInt32BE(17) }
    case 'R':
      return tableIn(bytes)
    case 'I':
    case 'U':
    case 'D':
      return { kind: 'change', tables: numbersIn(bytes, 1, 1), rows: bytes.subarray(5) }
    case 'T':
      return { kind: 'change', tables: numbersIn(bytes, bytes.readUInt32BE(1), 6), rows: null }
    case 'C':
      return { kind: 'commit', from: bytes.readBigUInt64BE(2), end: bytes.readBigUInt64BE(10) }
    case 'O':
    case 'Y':
      return other
    default:
      throw new Error('a message of no known kind')
  }
}

/** One message of PostgreSQL's replication. */
export function decode(bytes: Buffer): LogMessage {
  const kind = String.fromCharCode(bytes.readUInt8(0))
  if (kind === 'w') return toldIn(bytes.subarray(headOfTold))
  if (kind === 'k')
    return { kind: 'place', end: bytes.readBigUInt64BE(1), wantsReply: bytes.readUInt8(17) === 1 }
  throw new Error('a message of no known kind')
}

/** Says that all before this place is not needed any more. The time is for the server's statistics alone. */
export function acknowledgement(place: LogPlace): Buffer {
  const bytes = Buffer.alloc(34)
  bytes.write('r', 0, 'latin1')
  for (const at of [1, 9, 17]) bytes.writeBigUInt64BE(place, at)
  return bytes
}

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
