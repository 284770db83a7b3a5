// Input: a compiled plan, and the rows loaded for it. Output: the body as JSON text, in pieces, and its bytes; or
// objects, for reads in the process. Rejected: nothing. Hidden rows and attributes were never read.
import type { Compiled } from './sql'
import type { EntryCounts, LoadedRows } from './read'
import type { Column, Model } from './schema'
import { pagination } from './json/children-form'
import { entryMaker, type EntryMakers, type MakeEntry } from './json/entry-maker'
import { valueWriter, type WriteValue } from './json/value-writer'
import { longEntry, type RowWriter, rowWriter, type Style } from './json/row-writer'

export { pagination } from './json/children-form'
export type { Format, Style } from './json/row-writer'
export type { WriteValue } from './json/value-writer'

/** `bare`: as Strapi's plugins answer, without `data` and `meta`. */
export type BodyForm =
  | { readonly kind: 'data' }
  /** The entries alone, for a body that is sent in batches. */
  | { readonly kind: 'entries'; readonly separator: string }
  | { readonly kind: 'total' }
  /** `defaultLocale`: of entries that are languages. */
  | { readonly kind: 'bare'; readonly defaultLocale: string | null }

function withDefault(writer: RowWriter, defaultLocale: string | null): RowWriter {
  if (defaultLocale === null) return writer
  const write: RowWriter['write'] = (rows, at) => {
    const entry = writer.write(rows, at)
    const { code } = JSON.parse(entry) as { readonly code?: unknown }
    return `${entry.slice(0, -1)},"isDefault":${String(code === defaultLocale)}}`
  }
  return { ...writer, write }
}

/** Null for a missing entry. Each row is released once it is written. `meta`: members besides the page. */
export type WriteBody = (
  loaded: LoadedRows,
  entries: EntryCounts,
  meta: object | null,
) => Iterable<string> | null

function* textsOf(
  { write, pieces }: RowWriter,
  { rows }: LoadedRows,
  entries: EntryCounts,
  { before, after, separator = ',' }: Record<'before' | 'after', string> & { readonly separator?: string },
): Iterable<string> {
  let text = before
  for (let at = 0; at < rows.rows.length; at += 1) {
    if (entries.at(rows, at) >= longEntry) {
      yield text
      yield* pieces(rows, at, entries)
    } else yield text + write(rows, at)
    text = separator
  }
  yield (rows.rows.length === 0 ? before : '') + after
}

function bodyWriter(writer: RowWriter, { page }: Compiled, form: BodyForm): WriteBody {
  if (form.kind === 'total') return ({ total }) => [String(total ?? 0)]
  const isBare = form.kind === 'bare'
  const own = isBare ? withDefault(writer, form.defaultLocale) : writer
  const [open, close] = page === null ? ['', ''] : ['[', ']']
  return (loaded, entries, meta) => {
    if (page === null && loaded.rows.rows.length === 0) return null
    if (form.kind === 'entries') return textsOf(own, loaded, entries, { before: '', after: '', ...form })
    if (isBare) return textsOf(own, loaded, entries, { before: open, after: close })
    const all =
      page === null ? (meta ?? {}) : { pagination: pagination(page, loaded), ...loaded.beside, ...meta }
    const after = `${close},"meta":${JSON.stringify(all)}}`
    return textsOf(own, loaded, entries, { before: `{"data":${open}`, after })
  }
}

/** Entries between turns of the event loop: some milliseconds. */
const entriesOfTurn = 2000

/** Makes the object that the text of the body would be parsed to; null for a missing entry. */
export type MakeBody = (
  loaded: LoadedRows,
  entries: EntryCounts,
  turn: () => Promise<void>,
) => Promise<object | null>

function bodyMaker(make: MakeEntry, { page }: Compiled): MakeBody {
  return async (loaded, entries, turn) => {
    const { rows } = loaded
    const data: object[] = []
    let sinceTurn = 0
    for (let at = 0; at < rows.rows.length; at += 1) {
      if (sinceTurn >= entriesOfTurn) {
        await turn()
        sinceTurn = 0
      }
      data.push(make(rows, at))
      sinceTurn += entries.at(rows, at)
    }
    if (page !== null) return { data, meta: { pagination: pagination(page, loaded), ...loaded.beside } }
    const [entry] = data
    return entry === undefined ? null : { data: entry, meta: {} }
  }
}

export interface Writing {
  readonly texts: (compiled: Compiled, form: BodyForm) => WriteBody
  readonly objects: (compiled: Compiled) => MakeBody
  readonly valueOf: (model: Model, column: Column) => WriteValue
}

/** Plans share the writers of levels that they have in common. */
export function makeWriting(style: Style): Writing {
  const known = { v5: new WeakMap(), v4: new WeakMap() }
  const writers = { known, letGo: style.format === 'v5' }
  const makers: EntryMakers = new WeakMap()
  return {
    texts: (compiled, form) => bodyWriter(rowWriter(compiled.root, style, writers), compiled, form),
    objects: (compiled) => bodyMaker(entryMaker(compiled.root, style, makers), compiled),
    valueOf: (model, column) => valueWriter(style.formOf(model, column), style.reading),
  }
}

/** The bytes of a body, in pieces: a large one never takes one large piece of memory. */
export interface Bytes {
  readonly pieces: readonly Buffer[]
  readonly length: number
}

/** Characters that are encoded at once. */
const pieceLength = 65_536

/** Characters between turns of the event loop: some milliseconds. */
const turnLength = 524_288

export const inOnePiece = (bytes: Buffer): Bytes => ({ pieces: [bytes], length: bytes.length })

export function joinedBytes({ pieces, length }: Bytes): Buffer {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces, length)
}

/** `turn`: gives the event loop its turn, and throws once no client waits for the body. */
export async function encode(texts: Iterable<string>, turn: () => Promise<void>): Promise<Bytes> {
  const pieces: Buffer[] = []
  let length = 0
  let text = ''
  let sinceTurn = 0
  const encodeText = (): void => {
    // A piece of Node's common pool would keep all of the pool in memory.
    const piece = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
    piece.write(text)
    pieces.push(piece)
    length += piece.length
    text = ''
  }
  for (const next of texts) {
    text += next
    if (text.length < pieceLength) continue
    sinceTurn += text.length
    encodeText()
    if (sinceTurn < turnLength) continue
    await turn()
    sinceTurn = 0
  }
  if (text !== '') encodeText()
  return { pieces, length }
}
