import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Answer } from '../asker'

/** An answer's body as it was before somebody encoded it. */
export function decoded({ headers, bytes }: Pick<Answer, 'headers' | 'bytes'>): Buffer {
  switch (headers['content-encoding']) {
    case undefined:
      return bytes
    case 'br':
      return brotliDecompressSync(bytes)
    case 'gzip':
      return gunzipSync(bytes)
    default:
      throw new Error('nobody asked for that encoding')
  }
}
