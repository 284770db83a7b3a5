/** Beyond this Strapi rounds a whole number that it gives as text; ours is exact. */
const rounded = /^-?\d{16,}$/

/** A string in a JSON column: whether Strapi gives it with its quotation marks depends on its driver's version. */
const quoted = /^".*"$/s

function plain(value: unknown): unknown {
  if (typeof value === 'string' && quoted.test(value)) return JSON.parse(value)
  if (typeof value === 'string' && rounded.test(value)) return String(Number(value))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, plain(inner)]))
}

/** The same content, in whatever order the members of an object are put. */
export const sameMeaning = (one: string, other: string): boolean =>
  JSON.stringify(plain(JSON.parse(one))) === JSON.stringify(plain(JSON.parse(other)))

export function firstDifference(theirs: string, ours: string): string {
  let at = 0
  while (at < ours.length && theirs[at] === ours[at]) at += 1
  const from = Math.max(0, at - 60)
  return `at ${String(at)} …${theirs.slice(from, at + 60)}… where ours has …${ours.slice(from, at + 60)}…`
}
