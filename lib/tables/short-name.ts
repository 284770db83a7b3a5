import { createHash } from 'node:crypto'

/** Strapi's own limit, below those of the three databases. */
const longest = 55

/** What is cut gets a hash of the whole, so that two long names stay two. */
export function shortName(...parts: readonly string[]): string {
  const name = parts.join('_')
  if (name.length <= longest) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, longest - hash.length - 1)}_${hash}`
}
