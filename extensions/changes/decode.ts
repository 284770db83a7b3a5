/** A position in the log. */
export type LogPlace = bigint

/** The end of the log, read after the statement's snapshot, so that all visible commits are before it. */
export const endOfLog = `case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') end`

export interface LoggedColumn {
  readonly name: string
  /** Part of the replica identity: its old value may be logged. */
  readonly isKey: boolean
}

/** Messages arrive in the order of commits. */
export type LogMessage =
  | { readonly kind: 'begin'; readonly transaction: number }
  /** The name of a table, before the first change of it and after it may have changed. */
  | {
      readonly kind: 'table'
      readonly number: number
      readonly name: string
      readonly columns: readonly LoggedColumn[]
    }
  /** `rows`: the row before, as far as it is logged, and after; null for the whole table. */
  | { readonly kind: 'change'; readonly tables: readonly number[]; readonly rows: Buffer | null }
  | { readonly kind: 'commit'; readonly from: LogPlace; readonly end: LogPlace }
  /** All commits before this position have been sent. */
  | { readonly kind: 'place'; readonly end: LogPlace; readonly wantsReply: boolean }
  | { readonly kind: 'other' }

const other: LogMessage = { kind: 'other' }

/** Bytes before a logged message: its kind, two positions and a time. */
const bytesBefore = 25

function endOfText(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(0, from)
  if (end < 0) throw new Error('a string in the WAL message has no end')
  return end
}

/** Each name is followed by its type's number and modifier. */
const behindColumn = 8

function columnsIn(bytes: Buffer, from: number): readonly LoggedColumn[] {
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

/** Messages of pgoutput, version 1; unknown messages throw. */
function logMessageIn(bytes: Buffer): LogMessage {
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
      throw new Error('the WAL message has an unknown kind')
  }
}

export function decode(bytes: Buffer): LogMessage {
  const kind = String.fromCharCode(bytes.readUInt8(0))
  if (kind === 'w') return logMessageIn(bytes.subarray(bytesBefore))
  if (kind === 'k')
    return { kind: 'place', end: bytes.readBigUInt64BE(1), wantsReply: bytes.readUInt8(17) === 1 }
  throw new Error('the WAL message has an unknown kind')
}

/** Confirms everything before this position. The time is for the server's statistics alone. */
export function acknowledgement(place: LogPlace): Buffer {
  const bytes = Buffer.alloc(34)
  bytes.write('r', 0, 'latin1')
  for (const at of [1, 9, 17]) bytes.writeBigUInt64BE(place, at)
  return bytes
}

/** A changed row, as far as it is logged. */
export interface ChangedRow {
  /** Row ids before and after. */
  readonly ids: readonly string[]
  /** Document ids before and after; the one before only with a full replica identity. */
  readonly documents: readonly string[]
  /** True if it was published before, or is now; null if neither is logged. */
  readonly isPublished: boolean | null
  /** Changed columns; null for new and deleted rows, and if unknown. */
  readonly columns: ReadonlySet<string> | null
}

/** Values by column: null is NULL, undefined is not logged. */
type LoggedValues = readonly (Buffer | null | undefined)[]

const sign = (bytes: Buffer, at: number): string => String.fromCharCode(bytes.readUInt8(at))

function readValues(bytes: Buffer, from: number): { readonly values: LoggedValues; readonly end: number } {
  let at = from + 2
  const values = Array.from({ length: bytes.readUInt16BE(from) }, () => {
    const kind = sign(bytes, at)
    at += 1
    if (kind === 'n') return null
    if (kind === 'u') return undefined
    if (kind !== 't') throw new Error('a value in the WAL message has an unknown kind')
    const start = at + 4
    at = start + bytes.readUInt32BE(at)
    if (at > bytes.length) throw new Error('a value in the WAL message has no end')
    return bytes.subarray(start, at)
  })
  return { values, end: at }
}

interface OldAndNew {
  readonly before: LoggedValues | null
  readonly after: LoggedValues | null
}

/** The old row may precede the new one: all of it, or the columns that identify it. */
function oldAndNew(bytes: Buffer, columns: readonly LoggedColumn[]): OldAndNew {
  if (sign(bytes, 0) === 'N') return { before: null, after: readValues(bytes, 1).values }
  const { values, end } = readValues(bytes, 1)
  const before = values.map((value, at) => (columns[at]?.isKey === true ? value : undefined))
  return { before, after: end < bytes.length ? readValues(bytes, end + 1).values : null }
}

function changedColumns({ before, after }: OldAndNew, columns: readonly LoggedColumn[]): Set<string> | null {
  if (before === null || after === null) return null
  const changed = new Set<string>()
  for (const [at, { name }] of columns.entries()) {
    const [was, is] = [before[at], after[at]]
    // A long value that did not change is not logged again.
    if (is === undefined) continue
    if (was === undefined) return null
    if (was === null || is === null ? was !== is : !was.equals(is)) changed.add(name)
  }
  return changed
}

export function readChangedRow(bytes: Buffer, columns: readonly LoggedColumn[]): ChangedRow | null {
  const logged = oldAndNew(bytes, columns)
  const { before, after } = logged
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
    columns: changedColumns(logged, columns),
  }
}
