import { describeFault, type Fault } from '../../lib/errors'

/** Thrown by `seed` for everything that is wrong with the content, all at once. Nothing has been written then. */
export class SeedError extends Error {
  override readonly name = 'SeedError'
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? '1 fault' : `${String(faults.length)} faults`
    super([`${count} in the content to seed`, ...faults.map(describeFault)].join('\n  '))
    this.faults = faults
  }
}
