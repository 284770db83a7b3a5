import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type Bytes, inOnePiece, joinedBytes } from '../json'

/** In order of preference. */
const encodings = ['br', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

export const compressors: Readonly<Record<Encoding, (bytes: Bytes) => Promise<Bytes>>> = {
  br: async (bytes) => {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 4,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    return inOnePiece(await brotli(joinedBytes(bytes), { params }))
  },
  gzip: async (bytes) => inOnePiece(await zip(joinedBytes(bytes), { level: 6 })),
}

/** The weight of each coding in a header such as `br;q=0.5, gzip`. */
function weightsIn(header: string): ReadonlyMap<string, number> {
  const named = header.split(',').map((part): [string, number] => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
  })
  return new Map(named)
}

/** The encoding that a client prefers to plain bytes; null without one. */
export function chooseEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null
  const weights = weightsIn(header)
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0
  // Plain bytes are acceptable without being named; named, their weight counts.
  let best: Encoding | null = null
  let most = weights.get('identity') ?? 0
  for (const encoding of encodings) {
    const weight = weightOf(encoding)
    if (weight > 0 && (weight > most || (best === null && weight === most))) {
      best = encoding
      most = weight
    }
  }
  return best
}
