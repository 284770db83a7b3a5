import type { Permitted } from '../access'
import type { PlanShape, Purpose } from '../config'
import { type Compiled, type DescribedLevel, describeLevels, type Statement } from '../load'
import { shapeOf } from '../plan'

/** What there is to tell of a plan. */
export interface Story {
  readonly permitted: Permitted
  readonly compiled: Compiled
  readonly shape: PlanShape
  readonly levels: readonly DescribedLevel[]
  readonly purposes: ReadonlyMap<Statement, Purpose>
}

function tell(permitted: Permitted, compiled: Compiled): Story {
  const levels = describeLevels(compiled)
  const purposes = new Map(levels.flatMap(({ statements }) => [...statements]))
  const page = purposes.get(compiled.select)
  const { withTotal, withoutTotal } = compiled.telling()
  for (const read of [withTotal, withoutTotal]) if (page !== undefined) purposes.set(read.select, page)
  return { permitted, compiled, shape: shapeOf(permitted), levels, purposes }
}

/** Made when somebody wants to hear it, once for each plan. */
export function storyOf(permitted: Permitted, compiled: Compiled): () => Story {
  let story: Story | undefined
  return () => (story ??= tell(permitted, compiled))
}
