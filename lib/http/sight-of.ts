import type { Grants } from '../access'
import type { Sight } from '../changes'
import type { Settings } from './settings'
import { mayRead } from './withheld-reads'

/** Rows that a rule lets through cannot be told from others without asking for each: of their types nothing is told. */
export function sightOf(settings: Pick<Settings, 'withheld' | 'drafts'>, grants: Grants): Sight {
  const asked = grants.free ?? grants
  return (model) => {
    if (model.open || model.kind === 'component') return 'none'
    // Of what no list shows the id may be what guards it.
    if (!mayRead(settings, asked, model, 'find') || asked.rules(model, 'find') !== null) return 'none'
    if (!model.draftAndPublish) return 'all'
    const mayAsk = settings.drafts === 'open' || asked.may(model, 'drafts')
    return mayAsk && asked.rules(model, 'drafts') === null ? 'all' : 'published'
  }
}
