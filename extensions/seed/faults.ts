import { type Fault, describeFault } from '../../lib/errors'

/** Contains all faults of the content. If `seed` throws this error, the database is unchanged. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? '1 fault' : `${String(faults.length)} faults`
    super([`${count} in the content to seed`, ...faults.map(describeFault)].join('\n  '))
    this.faults = faults
  }
}

export interface Faults {
  readonly found: readonly Fault[]
  add(where: string, problem: string, remedy?: string): void
}

/** Drafts, published rows and locales repeat the same content, so a fault at one path counts once. */
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
