/** A value as text: what is no text itself as JSON, and nothing of what is not there. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : plainText(error)

/** As a person reads it; what is written wrongly stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Letters that turn others round, or cannot be seen, by their numbers: what is shown is what there is. */
export const withoutTurns = (text: string): string =>
  text.replace(
    /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
