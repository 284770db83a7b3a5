import { forbidden } from '../errors'
import { once } from '../memory'
import type { Model, Uid } from '../schema'
import type { Plan } from '../plan'
import type { PublicationStatus } from '../query'
import type { Grants } from './grants'

/** `granted`: drafts are for roles that have them granted; `open`: for all roles that may find the type. */
export type DraftRule = 'granted' | 'open'

/** The grant that is missing; null where the type may be read. */
type MissingGrant = 'find' | 'drafts' | null
export type Refusing = (model: Model) => MissingGrant

export type Readable = (model: Model) => boolean

/** A component is read as part of what it belongs to, and a file wherever it is linked. */
const needsNoGrant = (model: Model): boolean => model.kind === 'component' || model.open

const draftsAllowed = (grants: Grants, rule: DraftRule, model: Model): boolean =>
  rule === 'open' || !model.draftAndPublish || grants.may(model, 'drafts')

function refusal(grants: Grants, rule: DraftRule, status: PublicationStatus, model: Model): MissingGrant {
  if (needsNoGrant(model)) return null
  if (!grants.may(model, 'find')) return 'find'
  return status === 'draft' && !draftsAllowed(grants, rule, model) ? 'drafts' : null
}

export function refusingWith(grants: Grants, rule: DraftRule, status: PublicationStatus): Refusing {
  const known = new Map<Uid, MissingGrant>()
  return (model) => once(known, model.uid, () => refusal(grants, rule, status, model))
}

/** Filters that tell a modified entry from an unmodified one tell of its draft. */
export function checkDrafts(
  plan: Pick<Plan, 'root' | 'status' | 'tellsOfDrafts'>,
  grants: Grants,
  rule: DraftRule,
): void {
  const tells = plan.status === 'draft' || plan.tellsOfDrafts
  if (tells && !draftsAllowed(grants, rule, plan.root.model)) throw forbidden()
}
