// Input: a Plan and the Grants of a request. Output: Permitted, without anything that the role may not see. Rejected:
// filters, sorts and searches through hidden types, as unknown names; drafts without a grant.
import {
  bothOf,
  checkModified,
  checkDrafts,
  isOfColumns,
  type DraftRule,
  refusingWith,
  type Pruning,
  permitLevel,
  permitOrder,
} from './access/permit-level'
import type { Grants } from './access/grants'
import type { RoleSchema } from './access/role-schema'
import { visibleRows } from './access/visible-rows'
import type { ReadAction } from './config'
import { everything, type Plan, type Removal } from './plan'
import { modelOf, type Schema } from './schema'

export * from './access/host-result'
export * from './access/permissions'
export { requestNeeds } from './access/request-needs'
export type * from './access/grants'
export { bindAsker, nobody, readGrantRule } from './access/grants'
export type { Identity } from './config'
export { knownTo, roleSchema, showsAlways, showsColumn } from './access/role-schema'
export { type DraftRule, refusingWith } from './access/permit-level'

declare const permitted: unique symbol

/** Only `permit` makes it, so that no other plan can be loaded. */
export type Permitted = Omit<Plan<never>, 'startSpending' | 'ruled'> & { readonly [permitted]: true }

export interface PermitRequest {
  readonly grants: Grants
  readonly types: RoleSchema
  readonly drafts: DraftRule
  readonly action: ReadAction
  /** Receives the parts that are left out; null if they are not needed. */
  readonly tell: ((removal: Removal) => void) | null
}

export function permit(
  schema: Schema,
  { startSpending, ruled, ...plan }: Plan,
  { grants, types, drafts, action, tell }: PermitRequest,
): Permitted {
  checkDrafts(plan, grants, drafts)
  checkModified(plan, grants, action)
  const refused = refusingWith(grants, drafts, plan.status)
  const rows = visibleRows({ ...plan, ruled }, { grants, types }, action)
  const pruning: Pruning = {
    ...rows,
    refused,
    readable: (model) => refused(model) === null,
    modelOf: (uid) => modelOf(schema, uid),
    follow: (step) => {
      const visible = bothOf(step.visible, rows.linked(step.target))
      return { ...step, target: modelOf(schema, step.target.uid), visible }
    },
    tell,
    spend: startSpending(),
  }
  const isRuled = rows.asked !== everything
  if (isRuled) {
    const { uid } = plan.root.model
    const rules = rows.rulesOn(pruning.modelOf(uid), 'asked')
    tell?.({ path: '', type: uid, reason: 'rows', missing: 'entries', rules })
  }
  const root = permitLevel(plan.root, rows.asked, pruning, '')
  const narrowed = plan.narrowed || isRuled
  const showsDrafts =
    refusingWith(grants, drafts, 'draft')(root.model) === null && grants.rules(root.model, 'drafts') === null
  // Estimates are made of all rows: with conditions they would tell which values hidden rows and drafts have.
  const isExact =
    plan.page?.withCount === 'estimated' && !(isOfColumns(root.where) && (!narrowed || showsDrafts))
  const keys = plan.keys.map((key) => permitOrder(key, pruning))
  const page = plan.page && (isExact ? { ...plan.page, withCount: true } : plan.page)
  return { ...plan, root, keys, narrowed, page } as unknown as Permitted
}
