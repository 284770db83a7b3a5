import { type Action, actions, type AskerTexts } from '../config'
import type { Model, Schema } from '../schema'
import { askerValueOf, type AskerOperand, type Value } from '../plan'
import { type GrantRule, ofNoRows } from './grant-rule'

/** What the rules of a request compare with. */
export interface BoundAsker {
  /** Equal for those who compare with the same; empty where nothing is compared. */
  readonly key: string
  readonly valueOf: (operand: AskerOperand) => Value
}

const nameOf = ({ asker, type }: AskerOperand): string => JSON.stringify([asker, type])

/** Compares with nothing. */
export const nobody: BoundAsker = {
  key: '',
  valueOf: ({ asker }) => {
    throw new Error(`nothing is known of whoever asks to compare with: ${asker}`)
  },
}

type Values = ReadonlyMap<string, Value>

const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

function bound(values: Values): BoundAsker {
  if (values.size === 0) return nobody
  const key = JSON.stringify([...values].sort(), writable)
  return {
    key,
    valueOf: (operand) => values.get(nameOf(operand)) ?? nobody.valueOf(operand),
  }
}

interface AskedGrants {
  readonly grants: Grants
  readonly asker: BoundAsker
}

/** A rule that compares with something that is not known of whoever asks, or is of another kind, lets no row through. */
export function bindAsker(
  grants: Grants,
  known: AskerTexts,
  tellMissing: (operand: AskerOperand) => void,
): AskedGrants {
  if (grants.personal.length === 0) return { grants, asker: nobody }
  const values = new Map<string, Value>()
  const gone = new Set<GrantRule>()
  for (const rule of grants.personal) {
    for (const operand of rule.askers) {
      const text = known.get(operand.asker)
      const value = text === undefined ? undefined : askerValueOf(operand, text)
      if (value !== undefined) values.set(nameOf(operand), value)
      else {
        tellMissing(operand)
        gone.add(rule)
      }
    }
  }
  return { grants: gone.size === 0 ? grants : grants.without(gone), asker: bound(values) }
}

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
