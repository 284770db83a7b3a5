import { createHash } from 'node:crypto'

const length = 24

/** 24 letters and digits, a letter first, as Strapi's are; the same for the same name, so that tests can rely on it. */
export function documentIdOf(...names: readonly string[]): string {
  const digest = createHash('sha256').update(names.join('\n')).digest('hex')
  const text = BigInt(`0x${digest}`).toString(36).padStart(length, '0')
  const first = 'abcdefghijklmnopqrstuvwxyz'[Number.parseInt(digest.slice(0, 4), 16) % 26] ?? 'a'
  return first + text.slice(-length + 1)
}
