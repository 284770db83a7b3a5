/** Years that all databases store and compare: PostgreSQL has no year 0, MySQL no year of five digits. */
const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

export const isInYears = (instant: number): boolean => instant >= earliest && instant <= latest

/** `2024-02-29` exists; Date takes the 30th for 1 March. */
export function isDay(text: string): boolean {
  const midnight = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text)
}
