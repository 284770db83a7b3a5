import type { JsonPart } from './json-part'

/** Of an attribute, and of all together: enough to see what there is. */
const mostBytes = { value: 400, entry: 2000 }

/** What no query leaves out. */
const always = ['id', 'documentId']

/**
 * An entry without what is long. It is as true as the whole: it is what is answered to whoever does not ask for the rest. What is
 * kept is a copy, as others may be answered the same.
 */
export function shortEntry(entry: JsonPart): JsonPart {
  let left = mostBytes.entry
  const kept: (readonly [string, unknown])[] = []
  for (const [name, value] of Object.entries(entry)) {
    const text = JSON.stringify(value)
    const bytes = Buffer.byteLength(text)
    const isShort = bytes <= mostBytes.value && bytes <= left
    if (!isShort && !always.includes(name)) continue
    left -= bytes
    kept.push([name, JSON.parse(text)])
  }
  return Object.fromEntries(kept)
}
