import type { Grants } from '../access'
import type { Model, Schema } from '../schema'
import type { Settings } from './settings'
import { readName } from './withheld-reads'

const reads = ['find', 'findOne'] as const

/** The types that a role may read something of, and the components and files that its entries hold. */
export function visibleTypes(
  { schema, withheld }: Pick<Settings, 'schema' | 'withheld'>,
  grants: Grants,
): readonly Model[] {
  const { models } = schema
  const isReadable = (model: Model): boolean =>
    reads.some((action) => grants.may(model, action) && !withheld.has(readName(model.uid, action)))
  const visible = new Set([...models.values()].filter((one) => one.kind !== 'component' && isReadable(one)))
  // Grows while it is walked.
  for (const model of visible) for (const held of heldBy(schema, model)) visible.add(held)
  return [...models.values()].filter((one) => visible.has(one))
}

/** What is shown with an entry, without a grant of its own. */
function heldBy({ models }: Schema, { outlines, links }: Model): readonly Model[] {
  const targets = [...outlines.keys()].flatMap((name) => links.get(name)?.targets ?? [])
  return targets.flatMap((uid) => {
    const model = models.get(uid)
    return model !== undefined && (model.kind === 'component' || model.open) ? [model] : []
  })
}
