import type { Model, Schema, Uid } from '../schema'

const isOfUsers = ({ uid }: Model): boolean => uid.startsWith('plugin::users-permissions.')

/** What every project has besides its own types. */
export const isBesides = ({ route, kind }: Model): boolean => route === null && kind !== 'component'

/** Users and files are of no concern where nothing leads to them: a project may have tables of its own liking there. */
export function reachedBy(schema: Schema, asksUsers: boolean): Schema {
  const all = [...schema.models.values()]
  const reached = new Set(all.filter((one) => !isBesides(one) || (asksUsers && isOfUsers(one))))
  // Grows while it is walked.
  for (const { links } of reached) {
    for (const uid of [...links.values()].flatMap(({ targets }): readonly Uid[] => targets)) {
      const target = schema.models.get(uid)
      if (target !== undefined) reached.add(target)
    }
  }
  return { ...schema, models: new Map(all.filter((one) => reached.has(one)).map((one) => [one.uid, one])) }
}
