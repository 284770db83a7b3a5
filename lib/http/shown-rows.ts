import { type Model, userUid } from '../schema'
import type { CoreRights, CoreSettings } from './extension'
import { mayListUsers } from './plugin-routes'
import { mayRead } from './withheld-reads'

/** Which rows of a type a role sees: all, published ones, or none that are known without a query, as of types with rules. */
export type ShownRows = (model: Model) => 'all' | 'published' | 'none'

export function shownRowsOf(settings: CoreSettings, rights: CoreRights): ShownRows {
  const { grants } = rights
  const asked = grants.free ?? grants
  return (model) => {
    if (model.open || model.kind === 'component') return 'none'
    if (model.uid === userUid && !mayListUsers(rights)) return 'none'
    // Of what no list shows the id may be what guards it.
    if (!mayRead(settings, asked, model, 'find') || asked.rules(model, 'find') !== null) return 'none'
    if (!model.draftAndPublish) return 'all'
    const mayAsk = settings.drafts === 'open' || asked.may(model, 'drafts')
    return mayAsk && asked.rules(model, 'drafts') === null ? 'all' : 'published'
  }
}
