const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`

/** A lone surrogate, from a text that was cut, cannot be encoded in a URL: browsers send this character instead. */
const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

export const partText = (part: string): string => encodeURIComponent(whole(part))

/** Same escapes as qs: characters that are allowed in a URL, but that some parsers misread. */
const valueText = (value: string): string => partText(value).replace(/[!'()*]/g, encoded)

/** Names stay readable, except for characters that would end them. */
const nameText = (name: string): string => whole(name).replace(/[%&#=+[\]\s]/g, encodeURIComponent)

/** Also for a `Date` of another frame, which has a constructor of its own. */
export const isDate = (value: unknown): value is Date =>
  Object.prototype.toString.call(value) === '[object Date]'

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  const isWritten = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
  return isWritten ? String(value) : null
}

function pairsOf(key: string, value: unknown): string[] {
  if (value === null) return [key]
  if (isDate(value)) return pairsOf(key, value.toISOString())
  if (typeof value === 'object') return pairsIn(value, key)
  const text = textOf(value)
  return text === null ? [] : [`${key}=${valueText(text)}`]
}

const pairsIn = (table: object, before: string): string[] =>
  Object.entries(table).flatMap(([name, value]) =>
    pairsOf(before === '' ? nameText(name) : `${before}[${nameText(name)}]`, value),
  )

/**
 * The query string as qs writes it with `encodeValuesOnly` and `strictNullHandling`: a name without `=` is null, for
 * the router and for Strapi.
 */
export const queryText = (query: object): string => pairsIn(query, '').join('&')
