import { type Identity, makeGranting, permit, type Permitted, roleSchema } from '../access'
import type { FilledOptions, PermissionTable } from '../config'
import { checkForetoldCost, makePlan, type PlanSettings } from '../plan'
import type { Query, QueryLimits } from '../query'
import type { Model, Schema } from '../schema'
import { unknownSizes } from '../tables'
import { type AnswerLimits, asHolding, everyLimits } from './limits'
import { jsonOn, ruleSettings } from './rule-settings'

/** The database is not known yet: what only some of them can do is let through. */
function planSettings(options: FilledOptions, schema: Schema, limits: AnswerLimits): PlanSettings {
  return {
    ...options,
    ...limits,
    schema,
    defaultLocale: options.defaultLocale ?? 'en',
    refusesUnstorable: true,
    matching: options.textMatching,
    ...jsonOn(null, options),
    isKey: () => true,
    hasColumn: () => true,
    isReadable: () => true,
  }
}

export interface TriedType {
  readonly options: FilledOptions
  readonly schema: Schema
  readonly model: Model
}

/** What is asked of a type, by whom. */
export interface TriedAsking extends TriedType {
  readonly permissions: PermissionTable
  readonly identity: Identity
  readonly limits: AnswerLimits
}

/** As it would be answered. */
export function triedPlan(tried: TriedAsking, query: Query): Permitted {
  const { options, schema, model, permissions, identity, limits } = tried
  const asked = { kind: model.kind === 'singleType' ? 'single' : 'list' } as const
  const grants = makeGranting(ruleSettings(options, schema, null), false)(permissions, identity)
  const plan = makePlan(planSettings(options, schema, limits), { model, asked, query })
  const types = roleSchema(schema, grants, { model, action: 'find', isDraft: query.status === 'draft' })
  return permit(schema, plan, { grants, types, drafts: 'open', action: 'find', explains: false })
}

const everybody: Identity = { kind: 'token', may: () => true }

function tryWithin(tried: TriedType, limits: AnswerLimits, query: Query): void {
  const permitted = triedPlan({ ...tried, permissions: {}, identity: everybody, limits }, query)
  // Among as many entries as there may be by then.
  checkForetoldCost(permitted, limits.maxCost, unknownSizes.of)
}

/** As a role that may read everything would ask it, by the limits of all roles. Throws what it would be answered. */
export function tryQuery(tried: TriedType, parse: (limits: QueryLimits) => Query): void {
  for (const limits of everyLimits(tried.options)) {
    try {
      tryWithin(tried, limits, parse(limits.query))
    } catch (error) {
      throw asHolding(limits, error)
    }
  }
}
