export type Entry = Readonly<Record<string, unknown>>

export const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const entriesOf = (body: unknown): readonly Entry[] => {
  const data = isEntry(body) ? body['data'] : undefined
  return Array.isArray(data) ? data.filter(isEntry) : isEntry(data) ? [data] : []
}

export function errorMessageIn(body: unknown): string | null {
  const message = isEntry(body) && isEntry(body['error']) ? body['error']['message'] : null
  return typeof message === 'string' ? message : null
}
