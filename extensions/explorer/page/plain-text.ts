/** Strings as they are, other values as JSON, empty for undefined and null. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : plainText(error)

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Characters that change the direction of text, or are invisible, are escaped. */
export const withoutTurns = (text: string): string =>
  text.replace(
    /[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
