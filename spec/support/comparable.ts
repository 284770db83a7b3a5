/** Ids of components are the database's own; that they are there is all that is said of them. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const isPart = 'documentId' in value && !String(value.documentId).startsWith('doc-')
  const entries = Object.entries(value).filter(([key]) => !(isPart && key === 'documentId'))
  return Object.fromEntries(entries.map(([key, one]) => [key, comparable(one)]))
}
