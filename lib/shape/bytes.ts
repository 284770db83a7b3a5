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
