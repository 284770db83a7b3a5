import { ledToFrom, type Model, type Schema } from '../schema'

const isOfUsers = ({ uid }: Model): boolean => uid.startsWith('plugin::users-permissions.')

/** What every project has besides its own types. */
export const isBesides = ({ route, kind }: Model): boolean => route === null && kind !== 'component'

/** Users and files are of no concern where nothing leads to them: a project may have tables of its own liking there. */
export function reachedBy(schema: Schema, asksUsers: boolean): Schema {
  const all = [...schema.models.values()]
  const reached = ledToFrom(
    schema,
    all.filter((one) => !isBesides(one) || (asksUsers && isOfUsers(one))),
  )
  return { ...schema, models: new Map(all.filter((one) => reached.has(one)).map((one) => [one.uid, one])) }
}
