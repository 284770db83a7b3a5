import { makeGranting, permit, roleSchema } from '../access'
import type { FilledOptions } from '../config'
import { checkForetoldCost, makePlan, type PlanSettings } from '../plan'
import type { Query, QueryLimits } from '../query'
import type { Model, Schema } from '../schema'
import { unknownSizes } from '../tables'
import { type AnswerLimits, asHolding, everyLimits } from './limits'

/** The database is not known yet: what only some of them can do is let through. */
function planSettings(options: FilledOptions, schema: Schema, limits: AnswerLimits): PlanSettings {
  return {
    ...options,
    ...limits,
    schema,
    defaultLocale: options.defaultLocale ?? 'en',
    refusesUnstorable: true,
    matching: options.textMatching,
    typedJson: false,
    supersets: options.textMatching === 'exact' ? 'none' : 'any',
    isKey: () => true,
    hasColumn: () => true,
  }
}

export interface TriedType {
  readonly options: FilledOptions
  readonly schema: Schema
  readonly model: Model
}

function tryWithin({ options, schema, model }: TriedType, limits: AnswerLimits, query: Query): void {
  const { textMatching: matching, strapiArtefacts } = options
  const asked = { kind: model.kind === 'singleType' ? 'single' : 'list' } as const
  const grants = makeGranting({ schema, matching, strapiArtefacts }, false)(
    {},
    { kind: 'token', may: () => true },
  )
  const plan = makePlan(planSettings(options, schema, limits), { model, asked, query })
  const types = roleSchema(schema, grants, { model, action: 'find', isDraft: query.status === 'draft' })
  const permitted = permit(schema, plan, { grants, types, drafts: 'open', action: 'find', explains: false })
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
