// Comes in: a compiled plan, and then the rows loaded for it. Goes out: the body as JSON text, piece by piece, and its bytes;
// or, for who reads in this process, as objects.
// Refused: nothing; what may not be shown was never read, so that nothing has to be taken out here.
import type { Compiled } from './compile'
import type { EntryCounts, LoadedAnswer } from './load'
import { type BodyForm, finished, isLong, type RowWriter, textsIn, pagination } from './shape/children-form'
import { entryMaker, type EntryMakers, type MakeEntry } from './shape/entry-maker'
import { rowWriter, type Style } from './shape/row-writer'

export type { Wrapping, BodyForm } from './shape/children-form'
export type { Format, Style } from './shape/row-writer'
export type { ValueReading } from './shape/value-writer'

/** What `meta` shows besides the page. */
type Meta = object | null

/**
 * The texts that make the body of an answer, one after the other; null where the one entry that was asked for is not
 * there. They can be asked for once: what was written is let go of.
 */
export type WriteBody = (loaded: LoadedAnswer, entries: EntryCounts, meta: Meta) => Iterable<string> | null

interface BodyFrame {
  readonly before: string
  readonly after: string
}

function* textsOf(
  { write, pieces }: RowWriter,
  { rows }: LoadedAnswer,
  entries: EntryCounts,
  { before, after }: BodyFrame,
): Iterable<string> {
  let text = before
  for (let at = 0; at < rows.rows.length; at += 1) {
    if (isLong(entries.at(rows, at))) {
      yield text
      yield* textsIn(pieces(rows, at, entries))
    } else yield text + write(rows, at)
    text = ','
  }
  yield (rows.rows.length === 0 ? before : '') + after
}

/** As Strapi's plugins answer: the list or the entry, with nothing around it. */
function bareWriter(writer: RowWriter, { page }: Compiled): WriteBody {
  const frame = page === null ? { before: '', after: '' } : { before: '[', after: ']' }
  return (loaded, entries) => {
    if (page === null && loaded.rows.rows.length === 0) return null
    return textsOf(writer, loaded, entries, frame)
  }
}

function bodyWriter(writer: RowWriter, compiled: Compiled, form: BodyForm): WriteBody {
  if (form.kind === 'total') return ({ total }) => [String(total ?? 0)]
  if (form.kind === 'bare') return bareWriter(finished(writer, form), compiled)
  const { page } = compiled
  if (page === null) {
    return (loaded, entries, meta) => {
      if (loaded.rows.rows.length === 0) return null
      return textsOf(writer, loaded, entries, {
        before: '{"data":',
        after: `,"meta":${JSON.stringify(meta ?? {})}}`,
      })
    }
  }
  return (loaded, entries, meta) => {
    const after = `],"meta":${JSON.stringify({ pagination: pagination(page, loaded), ...meta })}}`
    return textsOf(writer, loaded, entries, { before: '{"data":[', after })
  }
}

/** After so many entries the event loop has its turn: some milliseconds of making. */
const entriesOfTurn = 2000

/** Makes what the text of the body would be parsed to, each time anew. Null where the one entry is not there. */
export type MakeBody = (
  loaded: LoadedAnswer,
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
    if (page !== null) return { data, meta: { pagination: pagination(page, loaded) } }
    const [entry] = data
    return entry === undefined ? null : { data: entry, meta: {} }
  }
}

/** Both ways to put an answer: as the text of its body, and of `data` as objects. */
export interface Writing {
  readonly texts: (compiled: Compiled, form: BodyForm) => WriteBody
  readonly objects: (compiled: Compiled) => MakeBody
}

/** Plans that have levels in common have the writers of these in common. */
export function makeWriting(style: Style): Writing {
  const writers = { known: new WeakMap(), letGo: style.format === 'v5' }
  const makers: EntryMakers = new WeakMap()
  return {
    texts: (compiled, form) => bodyWriter(rowWriter(compiled.root, style, writers), compiled, form),
    objects: (compiled) => bodyMaker(entryMaker(compiled.root, style, makers), compiled),
  }
}

/** A body as it is sent: in pieces, so that a large one never has to be in one place, neither as text nor as bytes. */
export interface Bytes {
  readonly pieces: readonly Buffer[]
  readonly length: number
}

/** Texts of this many characters are encoded at once: few calls, and a letter outside Latin-1 makes no more of them wide. */
const textLength = 8192

/** After this many characters the event loop has its turn: some milliseconds of writing. */
const turnLength = 524_288

/** No character takes more in UTF-8, so that the room for a text is known without counting. */
const mostBytes = 3

/** Where all bodies are encoded, one at a time: each leaves with a copy of just what it wrote before another has its turn. */
const desk = Buffer.allocUnsafeSlow(262_144)

/** In memory of its own: a piece of Node's common pool would hold all of the pool for as long as it is kept. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Longer than the desk. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

export const inOnePiece = (bytes: Buffer): Bytes => ({ pieces: [bytes], length: bytes.length })

/** In one buffer, as compression needs it. */
export function joinedBytes({ pieces, length }: Bytes): Buffer {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces, length)
}

interface Encoder {
  readonly add: (text: string) => void
  /** Leaves the desk. */
  readonly leave: () => void
  readonly bytes: () => Bytes
}

function makeEncoder(): Encoder {
  const pieces: Buffer[] = []
  let length = 0
  let written = 0
  const push = (piece: Buffer): void => {
    pieces.push(piece)
    length += piece.length
  }
  const leave = (): void => {
    if (written > 0) push(copyOf(desk.subarray(0, written)))
    written = 0
  }
  const add = (text: string): void => {
    const most = text.length * mostBytes
    if (written + most > desk.length) leave()
    if (most > desk.length) push(bytesOf(text))
    else written += desk.write(text, written)
  }
  return { add, leave, bytes: () => ({ pieces, length }) }
}

/** `turn`: gives the event loop its turn, and throws once the body is no longer waited for. */
export async function encode(texts: Iterable<string>, turn: () => Promise<void>): Promise<Bytes> {
  const { add, leave, bytes } = makeEncoder()
  let text = ''
  let sinceTurn = 0
  for (const next of texts) {
    text += next
    if (text.length < textLength) continue
    sinceTurn += text.length
    add(text)
    text = ''
    if (sinceTurn < turnLength) continue
    leave()
    await turn()
    sinceTurn = 0
  }
  add(text)
  leave()
  return bytes()
}
