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
