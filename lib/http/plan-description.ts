import type { Permitted } from '../access'
import type { PlanShape, Purpose } from '../config'
import { type Compiled, type DescribedLevel, describeLevels, type Statement } from '../compile'
import { planOutlineOf } from '../plan'

/** What there is to tell of a plan. */
export interface PlanDescription {
  readonly permitted: Permitted
  readonly compiled: Compiled
  readonly shape: PlanShape
  readonly levels: readonly DescribedLevel[]
  readonly purposes: ReadonlyMap<Statement, Purpose>
}

function tell(permitted: Permitted, compiled: Compiled): PlanDescription {
  const levels = describeLevels(compiled)
  const purposes = new Map(levels.flatMap(({ statements }) => [...statements]))
  const page = purposes.get(compiled.select)
  const { withTotal, withoutTotal } = compiled.telling()
  for (const read of [withTotal, withoutTotal]) if (page !== undefined) purposes.set(read().select, page)
  return { permitted, compiled, shape: planOutlineOf(permitted), levels, purposes }
}

/** Made when it is first needed, once for each plan. */
export function planDescriptionOf(permitted: Permitted, compiled: Compiled): () => PlanDescription {
  let description: PlanDescription | undefined
  return () => (description ??= tell(permitted, compiled))
}
