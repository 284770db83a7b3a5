import type { Model, Schema, Uid } from './model'

/** These types, and all that their links lead to, however far. */
export function ledToFrom(schema: Pick<Schema, 'models'>, models: Iterable<Model>): ReadonlySet<Model> {
  const ledTo = new Set(models)
  // Grows while it is walked.
  for (const { links } of ledTo) {
    for (const uid of [...links.values()].flatMap(({ targets }): readonly Uid[] => targets)) {
      const target = schema.models.get(uid)
      if (target !== undefined) ledTo.add(target)
    }
  }
  return ledTo
}
