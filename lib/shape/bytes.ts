/** A body as it is sent: in pieces, so that a large one never has to be in one place, neither as text nor as bytes. */
export interface Bytes {
  readonly pieces: readonly Buffer[]
  readonly length: number
}

/** Texts of this many characters are encoded at once: few calls, and nothing that the garbage collector calls large. */
const pieceLength = 65_536

/** After this many characters the event loop has its turn: some milliseconds of writing. */
const turnLength = 524_288

/** In memory of its own: a piece of Node's common pool would hold all of the pool for as long as it is kept. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

export const inOnePiece = (bytes: Buffer): Bytes => ({ pieces: [bytes], length: bytes.length })

/** For whoever needs it in one place. */
export function joined({ pieces, length }: Bytes): Buffer {
  const [first] = pieces
  return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces, length)
}

/** `turn`: gives the event loop its turn, and throws where nobody wants the body any more. */
export async function encode(texts: Iterable<string>, turn: () => Promise<void>): Promise<Bytes> {
  const pieces: Buffer[] = []
  let length = 0
  let text = ''
  let sinceTurn = 0
  const put = (): void => {
    const piece = bytesOf(text)
    pieces.push(piece)
    length += piece.length
    sinceTurn += text.length
    text = ''
  }
  for (const next of texts) {
    text += next
    if (text.length < pieceLength) continue
    put()
    if (sinceTurn < turnLength) continue
    await turn()
    sinceTurn = 0
  }
  if (text !== '') put()
  return { pieces, length }
}
