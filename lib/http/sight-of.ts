import type { Sight } from '../changes'
import { userUid } from '../schema'
import { mayListUsers } from './plugin-routes'
import type { Rights } from './rights'
import type { Settings } from './settings'
import { mayRead } from './withheld-reads'

/** Rows that a rule lets through cannot be told from others without asking for each: of their types nothing is told. */
export function sightOf(
  settings: Pick<Settings, 'withheld' | 'drafts'>,
  rights: Pick<Rights, 'grants' | 'mayAsk'>,
): Sight {
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
