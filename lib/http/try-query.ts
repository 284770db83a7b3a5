import { type Identity, makeGranting, permit, roleSchema } from '../access'
import type { FilledOptions } from '../config'
import { makePlan, type PlanSettings } from '../plan'
import { type BaseQuery, parseQuery, type Query, type RawObject } from '../query'
import type { Model, Schema } from '../schema'
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

const everybody: Identity = { kind: 'token', may: () => true }

function tryWithin({ options, schema, model }: TriedType, limits: AnswerLimits, query: Query): void {
  const asked = { kind: model.kind === 'singleType' ? 'single' : 'list' } as const
  const grants = makeGranting(ruleSettings(options, schema, null), false)({}, everybody)
  const plan = makePlan(planSettings(options, schema, limits), { model, asked, query })
  const types = roleSchema(schema, grants, { model, action: 'find', isDraft: query.status === 'draft' })
  permit(schema, plan, { grants, types, drafts: 'open', action: 'find', tell: null })
}

/** Throws the error that a role gets for the query which may read everything, within the limits of any role. */
export function tryQuery(tried: TriedType, raw: RawObject, base?: BaseQuery): void {
  for (const limits of everyLimits(tried.options)) {
    try {
      tryWithin(tried, limits, parseQuery(raw, limits.query, base && [base]))
    } catch (error) {
      throw asHolding(limits, error)
    }
  }
}
