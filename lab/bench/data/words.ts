import { createHash } from 'node:crypto'

const words =
  `time way day café man world life hand part child eye place work week case point company "number" group problem fact
  straße été naïve river mountain signal morning harbour window letter garden market paper stone winter silver quiet
  narrow early former bright open certain common human local major better between under after because through`.split(
    /\s+/,
  )

/** Numbers that look random and are the same on every machine (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function sentence(roll: () => number, length: number): string {
  let text = ''
  while (text.length < length)
    text += `${text === '' ? '' : ' '}${words[Math.floor(roll() * words.length)] ?? ''}`
  return text.slice(0, length)
}

/** Paragraphs, as an editor writes them: with line breaks that JSON has to escape. */
export function prose(roll: () => number, length: number): string {
  let text = ''
  while (text.length < length) text += `${text === '' ? '' : '\n\n'}${sentence(roll, 320)}.`
  return text.slice(0, length)
}

export const documentId = (type: string, number: number): string =>
  createHash('sha1')
    .update(`${type} ${String(number)}`)
    .digest('hex')
    .slice(0, 24)
