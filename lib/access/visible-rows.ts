import type { Action } from '../config'
import { ConfigError, RequestError } from '../errors'
import { once } from '../memory'
import { type Condition, everything, nothing, type Plan } from '../plan'
import type { PublicationStatus } from '../query'
import type { Model } from '../schema'
import type { Grants, GrantRule } from './grants'
import { bothOf, conditionOfRule } from './permit-condition'
import type { RoleSchema } from './role-schema'

/** Which rows whoever asks may see, of types that may be read. */
export interface VisibleRows {
  /** Of the asked type. */
  readonly asked: Condition<never>
  /** Of a type that links lead to. */
  readonly linked: (model: Model) => Condition<never>
  /** The drafts of published rows of the asked type, or the published versions of its drafts. */
  readonly otherVersion: Condition<never>
  /** Where the rules stand that say so, of the asked type or of one that links lead to. */
  readonly rulesOn: (model: Model, at: 'asked' | 'linked') => readonly string[]
  /** Those that show what only some of them do, by the word for it. */
  readonly showing: (shownIn: string) => Condition<never>
}

export interface RowsAsked {
  readonly grants: Grants
  readonly types: RoleSchema
  readonly action: 'find' | 'findOne'
}

type PlanToSee = Pick<Plan, 'root' | 'status' | 'tellsOfDrafts' | 'ruled'>

const ruledBy = (of: Condition<never>): Condition<never> => ({ op: 'ruled', of })

/** Rows that are looked at, and as which of their versions. */
interface LookedAt {
  readonly model: Model
  readonly isDraft: boolean
}

/**
 * Links of a draft lead to drafts. An entry without versions leads to drafts and published entries; its rule always looks at
 * the published ones. Otherwise a caller without drafts could choose the version, and learn about drafts.
 */
const statusOf = ({ model, isDraft }: LookedAt): PublicationStatus =>
  isDraft && model.draftAndPublish ? 'draft' : 'published'

function planned(plan: PlanToSee, rows: LookedAt, { where }: GrantRule): Condition<never> {
  if (where === 'all') return everything
  if (where === 'none') return nothing
  const { model } = rows
  try {
    return conditionOfRule(plan.ruled(model, where, statusOf(rows)))
  } catch (error) {
    // Whoever asks learns nothing of a rule, and sees nothing that it might have hidden.
    if (!(error instanceof RequestError)) throw error
    throw new ConfigError([{ where: `permissions, rule on ${model.uid}`, problem: error.message }])
  }
}

/** Rows that any of these rules lets through. */
function anyOf(plan: PlanToSee, rows: LookedAt, rules: readonly GrantRule[]): Condition<never> {
  const each = rules.map((rule) => planned(plan, rows, rule)).filter((one) => one !== nothing)
  if (each.includes(everything)) return everything
  const [only = nothing] = each
  return each.length === 0 ? nothing : ruledBy(each.length === 1 ? only : { op: 'or', of: each })
}

export function visibleRows(plan: PlanToSee, { grants, types, action }: RowsAsked): VisibleRows {
  const { root, status } = plan
  const known = new Map<string, Condition<never>>()
  const isDraft = status === 'draft'
  const ruled = (rows: LookedAt, of: Action): Condition<never> =>
    once(known, `${of} ${statusOf(rows)} ${rows.model.uid}`, () => {
      const rules = grants.rules(rows.model, of)
      return rules === null ? everything : anyOf(plan, rows, rules)
    })
  const showing = (shownIn: string): Condition<never> =>
    once(known, shownIn, () => {
      const { model, sides } = types.shownIn(shownIn)
      return sides.map((rules) => anyOf(plan, { model, isDraft }, rules)).reduce(bothOf, everything)
    })
  const rowsOf = (rows: LookedAt, of: Action): Condition<never> =>
    bothOf(ruled(rows, of), statusOf(rows) === 'draft' ? ruled(rows, 'drafts') : everything)
  const rulesOn: VisibleRows['rulesOn'] = (model, at) => {
    const actions: readonly Action[] = [
      at === 'asked' ? action : 'find',
      ...(isDraft ? ['drafts' as const] : []),
    ]
    return actions.flatMap((of) => grants.rules(model, of)?.flatMap(({ places }) => places) ?? [])
  }
  const linked = (model: Model): Condition<never> => rowsOf({ model, isDraft }, 'find')
  // Who sees no lists of a type sees its versions one by one.
  const versionsBy = grants.may(root.model, 'find') ? 'find' : action
  return {
    asked: rowsOf({ model: root.model, isDraft }, action),
    linked,
    showing,
    rulesOn,
    otherVersion: plan.tellsOfDrafts
      ? rowsOf({ model: root.model, isDraft: !isDraft }, versionsBy)
      : everything,
  }
}
