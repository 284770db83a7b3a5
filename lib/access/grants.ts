import { type Action, actions } from '../config'
import type { Model, Schema } from '../schema'
import { type GrantRule, ofNoRows } from './grant-rule'

/** Whether something may be done with a type; a list of rules: with rows and attributes that one of them lets through. */
export type Allowed = boolean | readonly GrantRule[]

/** What one role, or several together, may do. */
export interface Grants {
  /** Equal for roles that may do the same, different for all others: what an answer may be shared by. */
  readonly key: string
  may(model: Model, action: Action): boolean
  /** Of a type with which something may be done: the rules on it, of which one is enough. Null: all of it. */
  rules(model: Model, action: Action): readonly GrantRule[] | null
  /** Whether a rule says which attributes there are. */
  readonly tellsFields: boolean
  /** Whether a rule says which rows of a type there are: then nothing is to tell how many others there are. */
  readonly hidesRows: boolean
  /** The rules that compare with values of whoever asks. */
  readonly personal: readonly GrantRule[]
  /** The types that these rules are on. */
  readonly personalTypes: ReadonlySet<Model>
  /** The same without the rows that these rules let through. */
  without(rules: ReadonlySet<GrantRule>): Grants
  /** What holds for queries that the client writes; null: the same. Some roles may only use queries of the host. */
  readonly clientQueries: Grants | null
}

const signOf = (allowed: Allowed): string => {
  if (typeof allowed === 'boolean') return allowed ? '1' : '0'
  return `(${allowed.map(({ key }) => key).join(' ')})`
}

/** Asks once for every type and keeps the answers, so that one request sees one set of rights. */
export function makeGrants(
  schema: Schema,
  ask: (model: Model, action: Action) => Allowed,
  clientQueries: Grants | null = null,
): Grants {
  const models = [...schema.models.values()].filter(({ kind }) => kind !== 'component')
  const granted = new Map<string, true | readonly GrantRule[]>()
  const personal = new Set<GrantRule>(clientQueries?.personal)
  const personalTypes = new Set<Model>(clientQueries?.personalTypes)
  let key = ''
  let tellsFields = false
  let hidesRows = false
  for (const model of models) {
    for (const action of actions) {
      const allowed = ask(model, action)
      if (allowed !== false) granted.set(`${action} ${model.uid}`, allowed)
      if (typeof allowed === 'object') {
        for (const rule of allowed) {
          if (rule.askers.length > 0) {
            personal.add(rule)
            personalTypes.add(model)
          }
          if (rule.fields !== null) tellsFields = true
          if (rule.where !== 'all') hidesRows = true
        }
      }
      key += signOf(allowed)
    }
  }
  if (clientQueries !== null) key += `, by itself ${clientQueries.key}`
  const rules: Grants['rules'] = (model, action) => {
    const allowed = granted.get(`${action} ${model.uid}`)
    return typeof allowed === 'object' ? allowed : null
  }
  return {
    key,
    clientQueries,
    tellsFields,
    hidesRows,
    personal: [...personal],
    personalTypes,
    may: (model, action) => granted.has(`${action} ${model.uid}`),
    rules,
    without: (gone) =>
      makeGrants(
        schema,
        (model, action) =>
          rules(model, action)?.map((rule) => (gone.has(rule) ? ofNoRows(rule) : rule)) ??
          granted.has(`${action} ${model.uid}`),
        clientQueries?.without(gone) ?? null,
      ),
  }
}
