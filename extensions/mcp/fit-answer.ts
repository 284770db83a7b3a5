import { RequestError } from '../../lib/errors'

/** The body of a response, or an explanation of types. */
export interface Answer {
  readonly data: unknown
  readonly meta?: object
  /** Names the omitted parts, and says how to read them. */
  readonly notes?: readonly string[]
}

function cutTexts(value: unknown, most: number, cut: Set<string>, name = ''): unknown {
  if (typeof value === 'string') {
    if (value.length <= most) return value
    cut.add(name)
    return `${value.slice(0, most)}…`
  }
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, most, cut, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutTexts(one, most, cut, key)]))
}

/** Cuts long texts, and says in a note how to read on. */
export function cutAnswer(answer: Answer, most: number): Answer {
  const cut = new Set<string>()
  const data = cutTexts(answer.data, most, cut)
  const names = [...cut].join(', ')
  const note = `Texts of ${names} are cut after ${String(most)} characters. Call read_text to read on.`
  return cut.size === 0 ? answer : { ...answer, data, notes: [note] }
}

function firstEntries(answer: Answer, maxCharacters: number): Answer {
  const { data, notes = [] } = answer
  const entries: readonly unknown[] = Array.isArray(data) ? data : []
  for (let count = entries.length >> 1; count > 0; count >>= 1) {
    const [part, all] = [String(count), String(entries.length)]
    const note = `Only the first ${part} of ${all} entries are shown. Request at most ${part} entries in one call.`
    const shown = { ...answer, data: entries.slice(0, count), notes: [...notes, note] }
    if (JSON.stringify(shown).length <= maxCharacters) return shown
  }
  const remedy = 'request fewer attributes with fields, and fewer relations with populate'
  throw new RequestError(400, `The entry is too long: ${remedy}`)
}

/** Cuts long texts first, then the end of the list. */
export function fitAnswer(answer: Answer, maxCharacters: number): Answer {
  let shortest = answer
  for (const most of [Infinity, 4000, 1000, 250]) {
    shortest = cutAnswer(answer, most)
    if (JSON.stringify(shortest).length <= maxCharacters) return shortest
  }
  return firstEntries(shortest, maxCharacters)
}
