import type { Grants } from '../access'
import type { Logger } from '../config'
import { type Schema, type Uid, type Model, userUid } from '../schema'
import type { Extension, CoreSettings } from './extension'
import type { CoreRights } from './read-route'

/** A grant of all types opens users where entries lead to them, and no list of them. */
const listsUsers = {
  controller: 'plugin::users-permissions.user',
  action: 'find',
  type: userUid,
  as: 'find',
} as const

/** Which rows of a type a role sees: all, published ones, or none that are known without a query, as of types with rules. */
export type ShownRows = (model: Model) => 'all' | 'published' | 'none'

export function shownRowsOf(settings: CoreSettings, rights: CoreRights): ShownRows {
  const { grants } = rights
  const asked = grants.clientQueries ?? grants
  return (model) => {
    if (model.open || model.kind === 'component') return 'none'
    if (model.uid === userUid && !rights.mayAsk(listsUsers)) return 'none'
    // Of what no list shows the id may be what guards it.
    if (!mayRead(settings, asked, model, 'find') || asked.rules(model, 'find') !== null) return 'none'
    if (!model.draftAndPublish) return 'all'
    const mayAsk = settings.drafts === 'open' || asked.may(model, 'drafts')
    return mayAsk && asked.rules(model, 'drafts') === null ? 'all' : 'published'
  }
}

interface ServedReads {
  readonly withheld: ReadonlySet<Uid>
}

/** Whether it is served, and granted. */
export const mayRead = (
  { withheld }: ServedReads,
  grants: Pick<Grants, 'may'>,
  ...[model, action]: Parameters<Grants['may']>
): boolean => !withheld.has(model.uid) && grants.may(model, action)

/** Types that an extension does not let the router serve, whatever the permissions grant. */
export const withheldTypes = (
  schema: Schema,
  extensions: readonly Extension[],
  logger: Logger,
): ReadonlySet<Uid> => new Set(extensions.flatMap(({ withholds }) => withholds?.(schema, logger) ?? []))
