import { type Grants, knownTo } from '../access'
import type { ReadAction } from '../config'
import type { Model, Schema } from '../schema'
import type { Settings } from './settings'
import { mayRead } from './withheld-types'

const reads = ['find', 'findOne'] as const

/** The types that a role may read something of, as it may know them, and the components and files that its entries hold. */
export function visibleTypes(
  settings: Pick<Settings, 'schema' | 'withheld'>,
  grants: Grants,
): readonly Model[] {
  const readsOf = (model: Model): readonly ReadAction[] =>
    reads.filter((action) => mayRead(settings, grants, model, action))
  const known = new Map(
    [...settings.schema.models].map(([uid, model]) => [uid, knownTo(grants, model, readsOf(model))] as const),
  )
  const models = [...known.values()]
  const visible = new Set(models.filter((one) => one.kind !== 'component' && readsOf(one).length > 0))
  // Grows while it is walked.
  for (const model of visible) for (const held of heldBy(known, model)) visible.add(held)
  return models.filter((one) => visible.has(one))
}

/** What is shown with an entry, without a grant of its own. */
function heldBy(models: Schema['models'], { outlines, links }: Model): readonly Model[] {
  const targets = [...outlines.keys()].flatMap((name) => links.get(name)?.targets ?? [])
  return targets.flatMap((uid) => {
    const model = models.get(uid)
    return model !== undefined && (model.kind === 'component' || model.open) ? [model] : []
  })
}
