import { isTable, type QueryTable, type QueryValue } from './address'
import { messageOf } from './plain-text'

export type ObjectForm = { readonly query: QueryTable } | { readonly problem: string }

/** Strings, numbers with too many digits for JavaScript, names before a colon, and trailing commas. */
const parts =
  /"(?:[^"\\]|\\.)*"|(-?\d[\d.]{15,})(?=\s*[,}\]])|'((?:[^'\\]|\\.)*)'|([A-Za-z_$][\w$]*)(?=\s*:)|,(?=\s*[}\]])/g

/** JavaScript objects are JSON except for quotes and trailing commas. */
const asJson = (text: string): string =>
  text.replace(parts, (part: string, digits?: string, single?: string, name?: string) => {
    if (digits !== undefined) return `"${digits}"`
    if (single !== undefined) return `"${single.replaceAll("\\'", "'").replaceAll('"', '\\"')}"`
    if (name !== undefined) return `"${name}"`
    return part === ',' ? '' : part
  })

/** A URL has no spelling for null and for empty objects, which are rejected instead of ignored. */
function inUrl(value: unknown, path: readonly string[]): QueryValue {
  const place = path.join('.')
  if (value === null)
    throw new Error(`${place} is null, but a URL cannot contain null. Use the operator $null`)
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value)
  const entries: [string, unknown][] = Object.entries(value)
  if (entries.length === 0 && path.length > 0) {
    if (path.at(-2) === 'populate' && !Array.isArray(value)) return 'true'
    throw new Error(`${place} is empty. Remove this part of the query`)
  }
  const all = entries.map(([name, one]) => [name, inUrl(one, [...path, name])] as const)
  return Array.isArray(value) ? all.map(([, one]) => one) : Object.fromEntries(all)
}

export function readObjectForm(text: string): ObjectForm {
  try {
    const query = inUrl(JSON.parse(asJson(text)), [])
    return isTable(query) ? { query } : { problem: 'the query must be an object in braces' }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
