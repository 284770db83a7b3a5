import type { Fault } from '../../lib/errors'

export interface Faults {
  readonly found: readonly Fault[]
  add(where: string, problem: string, remedy?: string): void
}

/** Drafts, published rows and locales repeat what was written once, so a fault at one place counts once. */
export function collectFaults(): Faults {
  const byText = new Map<string, Fault>()
  return {
    get found() {
      return [...byText.values()]
    },
    add(where, problem, remedy) {
      byText.set(`${where}: ${problem}`, { where, problem, ...(remedy === undefined ? {} : { remedy }) })
    },
  }
}
