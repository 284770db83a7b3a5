const encoded = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`

/** Half of a letter, where a text was cut, stands in no URL and in no stored text: browsers send this in its place. */
const whole = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

export const partText = (part: string): string => encodeURIComponent(whole(part))

/** As qs has it: what a URL may hold but some readers take for something else is written by its number. */
const valueText = (value: string): string => partText(value).replace(/[!'()*]/g, encoded)

/** Names are left readable but for what would end them. */
const nameText = (name: string): string => whole(name).replace(/[%&#=+[\]\s]/g, encodeURIComponent)

/** Wherever it was made: each frame of a page has a `Date` of its own. */
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
 * A query as it stands in a URL: as qs writes it with `encodeValuesOnly` and `strictNullHandling`, by which a name without `=` is
 * null to a router of ours and to a Strapi.
 */
export const queryText = (query: object): string => pairsIn(query, '').join('&')
