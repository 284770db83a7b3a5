/** A path at which two responses differ, and both values. */
export interface Difference {
  readonly path: string
  readonly ours: string
  readonly theirs: string
}

const most = 100
const nothing = Symbol('nothing')

const short = (value: unknown): string => {
  if (value === nothing) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

function compare(ours: unknown, theirs: unknown, path: string, found: Difference[]): void {
  if (found.length >= most || Object.is(ours, theirs)) return
  if (!isTable(ours) || !isTable(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) {
    found.push({ path, ours: short(ours), theirs: short(theirs) })
    return
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const own = (value: Readonly<Record<string, unknown>>): unknown =>
      Object.hasOwn(value, name) ? value[name] : nothing
    compare(own(ours), own(theirs), path === '' ? name : `${path}.${name}`, found)
  }
}

/** The order of names in an object is ignored; the order of lists is compared. */
export function differencesOf(ours: unknown, theirs: unknown): readonly Difference[] {
  const found: Difference[] = []
  compare(ours, theirs, '', found)
  return found
}
