import type { Action, ReadAction } from '../config'
import { ConfigError, RequestError } from '../errors'
import { once } from '../memory'
import { type Condition, everything, nothing, type Plan } from '../plan'
import type { PublicationStatus } from '../query'
import type { Model } from '../schema'
import type { Grants, GrantRule } from './grants'
import { bothOf, conditionOfRule, type VisibleRows } from './permit-level'
import type { ModelVersion, RoleSchema } from './role-schema'

type RuledPlan = Pick<Plan, 'root' | 'status' | 'tellsOfDrafts' | 'ruled'>

/**
 * Links of a draft lead to drafts. Rules of entries without versions look at published entries, or a caller could
 * learn about drafts by them.
 */
const statusOf = ({ model, isDraft }: ModelVersion): PublicationStatus =>
  isDraft && model.draftAndPublish ? 'draft' : 'published'

function planned(plan: RuledPlan, rows: ModelVersion, { where }: GrantRule): Condition<never> {
  if (where === 'all') return everything
  if (where === 'none') return nothing
  const { model } = rows
  try {
    return conditionOfRule(plan.ruled(model, where, statusOf(rows)))
  } catch (error) {
    // The message of a rule is for the host, and the rule grants nothing.
    if (!(error instanceof RequestError)) throw error
    throw new ConfigError([{ where: `permissions, rule on ${model.uid}`, problem: error.message }])
  }
}

function anyOf(plan: RuledPlan, rows: ModelVersion, rules: readonly GrantRule[]): Condition<never> {
  const each = rules.map((rule) => planned(plan, rows, rule)).filter((one) => one !== nothing)
  if (each.includes(everything)) return everything
  const [only] = each
  if (only === undefined) return nothing
  return { op: 'ruled', of: each.length === 1 ? only : { op: 'or', of: each } }
}

export function visibleRows(
  plan: RuledPlan,
  { grants, types }: { readonly grants: Grants; readonly types: RoleSchema },
  action: ReadAction,
): VisibleRows {
  const { root, status } = plan
  const known = new Map<string, Condition<never>>()
  const isDraft = status === 'draft'
  const ruled = (rows: ModelVersion, of: Action): Condition<never> =>
    once(known, `${of} ${statusOf(rows)} ${rows.model.uid}`, () => {
      const rules = grants.rules(rows.model, of)
      return rules === null ? everything : anyOf(plan, rows, rules)
    })
  const showing = (shownIn: string): Condition<never> =>
    once(known, shownIn, () => {
      const { model, sides } = types.shownIn(shownIn)
      return sides.map((rules) => anyOf(plan, { model, isDraft }, rules)).reduce(bothOf, everything)
    })
  const rowsOf = (rows: ModelVersion, of: Action): Condition<never> =>
    bothOf(ruled(rows, of), statusOf(rows) === 'draft' ? ruled(rows, 'drafts') : everything)
  const rulesOn: VisibleRows['rulesOn'] = (model, at) => {
    const own = at === 'asked' ? action : 'find'
    const actions: readonly Action[] = isDraft ? [own, 'drafts'] : [own]
    return actions.flatMap((of) => grants.rules(model, of)?.flatMap(({ places }) => places) ?? [])
  }
  const linked = (model: Model): Condition<never> => rowsOf({ model, isDraft }, 'find')
  // Roles without lists see versions one by one.
  const versionsBy = grants.may(root.model, 'find') ? 'find' : action
  const { model } = root
  const asked = rowsOf({ model, isDraft }, action)
  const otherVersion = plan.tellsOfDrafts ? rowsOf({ model, isDraft: !isDraft }, versionsBy) : everything
  return { asked, linked, showing, rulesOn, otherVersion }
}
