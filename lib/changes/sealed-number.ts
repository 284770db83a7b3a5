import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const [nonceBytes, numberBytes, tagBytes] = [12, 8, 16]

/** Numbers that nobody else can read, nor make: how far two are apart would tell how much happened in between. */
export interface SealedNumbers {
  /** Another text each time, so that not even two that are equal can be told. */
  readonly seal: (number: number) => string
  /** Null where the text is none of ours: of another process, or of this one before it was started again. */
  readonly open: (text: string) => number | null
}

export function makeSealedNumbers(): SealedNumbers {
  const key = randomBytes(32)
  return {
    seal: (number) => {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce)
      const plain = Buffer.alloc(numberBytes)
      plain.writeBigUInt64BE(BigInt(number))
      return Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]).toString(
        'base64url',
      )
    },
    open: (text) => {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length !== nonceBytes + numberBytes + tagBytes) return null
      const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes))
      opening.setAuthTag(bytes.subarray(nonceBytes + numberBytes))
      const plain = opening.update(bytes.subarray(nonceBytes, nonceBytes + numberBytes))
      try {
        opening.final()
        return Number(plain.readBigUInt64BE())
      } catch {
        // It raises nothing else than that the text was sealed with another key, or changed.
        return null
      }
    },
  }
}
