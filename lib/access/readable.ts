import { forbidden } from '../errors'
import type { Model, Uid } from '../schema'
import type { Plan } from '../plan'
import type { Status } from '../query'
import type { Grants } from './grants'

/** `granted`: drafts are for roles that have them granted; `open`: for whoever may find the type. */
export type DraftRule = 'granted' | 'open'

export type Readable = (model: Model) => boolean

/** A component is read as part of what it belongs to, and a file wherever it is linked. */
const needsNoGrant = (model: Model): boolean => model.kind === 'component' || model.open

const draftsAllowed = (grants: Grants, rule: DraftRule, model: Model): boolean =>
  rule === 'open' || !model.draftAndPublish || grants.may(model, 'drafts')

export function readableWith(grants: Grants, rule: DraftRule, status: Status): Readable {
  const known = new Map<Uid, boolean>()
  return (model) => {
    const seen = known.get(model.uid)
    if (seen !== undefined) return seen
    const drafts = status !== 'draft' || draftsAllowed(grants, rule, model)
    const readable = needsNoGrant(model) || (grants.may(model, 'find') && drafts)
    known.set(model.uid, readable)
    return readable
  }
}

/** Filters that tell a modified entry from an unmodified one tell of its draft. */
export function checkDrafts(plan: Plan, grants: Grants, rule: DraftRule): void {
  const tells = plan.status === 'draft' || plan.tellsOfDrafts
  if (tells && !draftsAllowed(grants, rule, plan.root.model)) throw forbidden()
}
