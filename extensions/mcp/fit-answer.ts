/** The body of a response, or an explanation of types. */
export interface Answer {
  readonly data: unknown
  readonly meta?: object
  /** Names the omitted parts, and says how to read them. */
  readonly notes?: readonly string[]
}

/** Longest texts, tried in this order until the answer fits. */
const lengths = [4000, 1000, 250]

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

const lengthOf = (answer: object): number => JSON.stringify(answer).length

function firstEntries(answer: Answer, maxCharacters: number): Answer | null {
  const { data, meta, notes = [] } = answer
  if (!Array.isArray(data)) return null
  const { pagination = {} } = { ...meta } as { readonly pagination?: Readonly<Record<string, unknown>> }
  const { start = (Number(pagination['page'] ?? 1) - 1) * Number(pagination['pageSize'] ?? 0) } = pagination
  for (let count = data.length >> 1; count > 0; count >>= 1) {
    const next = JSON.stringify({ start: Number(start) + count, limit: data.length - count })
    const note = `${String(count)} of the ${String(data.length)} entries are shown. Set pagination to ${next} to read on.`
    const shown = { ...answer, data: data.slice(0, count), notes: [...notes, note] }
    if (lengthOf(shown) <= maxCharacters) return shown
  }
  return null
}

/** Cuts long texts first, then the end of the list. Null: a single entry is too long. */
export function fitAnswer(answer: Answer, maxCharacters: number): Answer | null {
  if (lengthOf(answer) <= maxCharacters) return answer
  let shortest = answer
  for (const most of lengths) {
    const cut = new Set<string>()
    const data = cutTexts(answer.data, most, cut)
    const names = [...cut].join(', ')
    const note = `Texts of ${names} are cut after ${String(most)} characters. Call read_text to read on.`
    if (cut.size > 0) shortest = { ...answer, data, notes: [note] }
    if (lengthOf(shortest) <= maxCharacters) return shortest
  }
  return firstEntries(shortest, maxCharacters)
}
