import { type Action, actions, type AskerTexts } from '../config'
import { type Model, type Schema, didYouMean } from '../schema'
import { askerValueOf, type AskerOperand, type Value, checkRule, type PlanSettings } from '../plan'
import { createHash } from 'node:crypto'
import { ConfigError, type Fault, RequestError } from '../errors'
import { isCompareOperator, operators } from '../operators'
import {
  type QueryCondition,
  isRawObject,
  type Raw,
  type RawObject,
  readHostQuery,
  readRule,
  UnfitQuery,
} from '../query'

export interface BoundAsker {
  /** Equal for equal values; empty without a comparison. */
  readonly key: string
  readonly valueOf: (operand: AskerOperand) => Value
}

export const nobody: BoundAsker = {
  key: '',
  valueOf: ({ asker }) => {
    throw new Error(`no value of the caller is known: ${asker}`)
  },
}

const nameOf = ({ asker, type }: AskerOperand): string => JSON.stringify([asker, type])

const writable = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value

/** A rule grants no rows if its value of the current user is missing or of another kind. */
export function bindAsker(
  grants: Grants,
  known: AskerTexts,
  reportMissing: (operand: AskerOperand) => void,
): { readonly grants: Grants; readonly asker: BoundAsker } {
  if (grants.personal.length === 0) return { grants, asker: nobody }
  const values = new Map<string, Value>()
  const withoutValue = new Set<GrantRule>()
  for (const rule of grants.personal) {
    for (const operand of rule.askers) {
      const text = known.get(operand.asker)
      const value = text === undefined ? undefined : askerValueOf(operand, text)
      if (value !== undefined) values.set(nameOf(operand), value)
      else {
        reportMissing(operand)
        withoutValue.add(rule)
      }
    }
  }
  const left = withoutValue.size === 0 ? grants : grants.without(withoutValue)
  if (values.size === 0) return { grants: left, asker: nobody }
  const key = JSON.stringify([...values].sort(), writable)
  const valueOf = (operand: AskerOperand): Value => values.get(nameOf(operand)) ?? nobody.valueOf(operand)
  return { grants: left, asker: { key, valueOf } }
}

/** A list: the rows and attributes that one of the rules grants. */
type Allowed = boolean | readonly GrantRule[]

export interface Grants {
  /** The cache key of the rights: equal for equal rights only. */
  readonly key: string
  may(model: Model, action: Action): boolean
  /** One of the rules is enough. Null: all rows. */
  rules(model: Model, action: Action): readonly GrantRule[] | null
  /** True if a rule limits attributes. */
  readonly hidesFields: boolean
  /** The rules that compare with values of the current user. */
  readonly personal: readonly GrantRule[]
  readonly personalTypes: ReadonlySet<Model>
  without(rules: ReadonlySet<GrantRule>): Grants
  /** The rights for queries of clients; null: the same. Some roles may only use queries of the host. */
  readonly clientQueries: Grants | null
}

/** Rights are read once, so that one request sees one set of them. */
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
  let hidesFields = false
  for (const model of models) {
    for (const action of actions) {
      const allowed = ask(model, action)
      if (allowed !== false) granted.set(`${action} ${model.uid}`, allowed)
      if (typeof allowed === 'boolean') key += String(Number(allowed))
      else {
        key += `(${allowed.map((rule) => rule.key).join(' ')})`
        for (const rule of allowed) {
          if (rule.askers.length > 0) {
            personal.add(rule)
            personalTypes.add(model)
          }
          if (rule.fields !== null) hidesFields = true
        }
      }
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
    hidesFields,
    personal: [...personal],
    personalTypes,
    may: (model, action) => granted.has(`${action} ${model.uid}`),
    rules,
    without: (withoutValue) =>
      makeGrants(
        schema,
        (model, action) =>
          rules(model, action)?.map((rule) => (withoutValue.has(rule) ? ofNoRows(rule) : rule)) ??
          granted.has(`${action} ${model.uid}`),
        clientQueries?.without(withoutValue) ?? null,
      ),
  }
}

export interface GrantRule {
  /** Equal for equal rules, in every process. */
  readonly key: string
  readonly where: QueryCondition | 'all' | 'none'
  /** Equal for rules on the same rows. */
  readonly rows: string
  /** Names of attributes and links; null: all. */
  readonly fields: ReadonlySet<string> | null
  /** The values of the current user that it compares with. */
  readonly askers: readonly AskerOperand[]
  /** The places in the options, for the log. */
  readonly places: readonly string[]
}

export type RuleSettings = Pick<
  PlanSettings,
  'schema' | 'matching' | 'loadingArtefacts' | 'supersets' | 'typedJson'
>

/** Limits on rules of the host, against mistakes alone. */
const limits = { arrayLimit: 10_000, maxParameters: 100_000, maxLength: 10_000_000 }

const whereRemedy = "write a rule such as { where: { owner: { id: { $eq: { $asker: 'id' } } } } }"

const fieldsRemedy = `write a rule such as { fields: ['title', 'author'] }`

const fault = (path: readonly string[], problem: string, remedy = whereRemedy): ConfigError =>
  new ConfigError([{ where: path.join('.'), problem, remedy }])

function keyOf(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22)
}

function ruleOn(rows: Omit<GrantRule, 'key' | 'fields'>, fields: GrantRule['fields']): GrantRule {
  return { ...rows, fields, key: fields === null ? rows.rows : keyOf([rows.rows, ...[...fields].sort()]) }
}

/** The current user lacks a value: the attributes stay known, and no row is granted. */
const ofNoRows = (rule: GrantRule): GrantRule => {
  return { ...rule, key: `no ${rule.key}`, rows: `no ${rule.rows}`, where: 'none', askers: [] }
}

function together(one: GrantRule, other: GrantRule): GrantRule {
  const rows = { ...one, places: [...one.places, ...other.places] }
  if (one.fields === null || other.fields === null) return ruleOn(rows, null)
  return ruleOn(rows, new Set([...one.fields, ...other.fields]))
}

const shows = (one: GrantRule, other: GrantRule): boolean =>
  one.where === 'all' &&
  other.fields !== null &&
  [...other.fields].every((name) => one.fields?.has(name) ?? true)

/** The rights of several roles add up. */
export function addRules(all: readonly (boolean | GrantRule)[]): Allowed {
  if (all.includes(true)) return true
  const byRows = new Map<string, GrantRule>()
  for (const rule of all) {
    if (typeof rule !== 'object') continue
    const known = byRows.get(rule.rows)
    byRows.set(rule.rows, known === undefined ? rule : together(known, rule))
  }
  const rules = [...byRows.values()]
  return rules.length > 0 && rules.filter((rule) => !rules.some((one) => one !== rule && shows(one, rule)))
}

const parts = ['where', 'fields']

function checkParts(rule: object, path: readonly string[]): void {
  const names = Object.keys(rule)
  const unknownPart = names.find((name) => !parts.includes(name))
  if (unknownPart !== undefined) throw fault([...path, unknownPart], 'the key is not allowed in a rule')
  if (names.length === 0) throw fault(path, 'a rule must have the key where or the key fields')
}

/** An empty condition means any entry. */
const canBeEmpty = ['$some', '$none']

const inverting = ['$not', '$none']

/** No row is in an empty list, and every row is not. */
function matchesAnyRow(path: readonly string[]): boolean {
  const name = path.at(-1) ?? ''
  if (!isCompareOperator(name) || path.some((above) => inverting.includes(above))) return false
  const { takes, negated } = operators[name]
  return takes === 'any number' && !negated
}

/** An empty condition matches every row, so that it would widen the rule. */
function checkNotEmpty(raw: Raw, path: readonly string[]): void {
  if (typeof raw !== 'object' || raw === null) return
  const parts = Object.entries(raw)
  if (parts.length === 0 && !canBeEmpty.includes(path.at(-1) ?? '') && !matchesAnyRow(path))
    throw fault(path, 'the filter must contain a condition')
  for (const [name, part] of parts) checkNotEmpty(part, [...path, name])
}

function readWhere(where: unknown, path: readonly string[]): RawObject {
  if (typeof where !== 'object' || where === null) throw fault(path, 'where must be an object with filters')
  try {
    const { filters = null } = readHostQuery({ filters: where }, limits)
    if (!isRawObject(filters)) throw fault(path, 'the filter must contain a condition')
    checkNotEmpty(filters, path)
    return filters
  } catch (error) {
    if (error instanceof UnfitQuery) throw fault([...path, ...error.path.slice(1)], error.problem)
    throw error
  }
}

function readFields(
  { custom }: Schema,
  { uid, columns, links, emptyRelations }: Model,
  fields: unknown,
  path: readonly string[],
): ReadonlySet<string> {
  if (!Array.isArray(fields)) throw fault(path, 'the value must be a list of attributes', fieldsRemedy)
  // Custom fields may be unknown until the database is read.
  const unknown = custom.flatMap((one) => (one.uid === uid ? one.attribute : []))
  const names = [...columns.keys(), ...links.keys(), ...emptyRelations, ...unknown]
  const read = fields.map((name: unknown, at) => {
    if (typeof name === 'string' && names.includes(name)) return name
    const problem = `responses of ${uid} do not contain an attribute ${String(name)}`
    throw fault([...path, String(at)], problem, didYouMean(String(name), names))
  })
  return new Set(read)
}

function readCondition(
  settings: RuleSettings,
  model: Model,
  filters: RawObject,
  path: readonly string[],
): Pick<GrantRule, 'where' | 'askers'> {
  const faultsOf = (errors: readonly RequestError[]): Fault[] =>
    errors.map(({ details: { path: own }, message: problem }) => {
      return { where: typeof own === 'string' && own !== '' ? own : path.join('.'), problem }
    })
  let where: QueryCondition
  try {
    where = readRule(filters, path)
  } catch (error) {
    if (error instanceof RequestError) throw new ConfigError(faultsOf([error]))
    throw error
  }
  const { faults, askers } = checkRule(settings, model, where)
  if (faults.length > 0) throw new ConfigError(faultsOf(faults))
  const number = askers.find(({ asker }) => /^-?\d+$/.test(asker))
  if (number === undefined) return { where, askers }
  const problem = `the value of $asker must be a name, but ${number.asker} is a number`
  throw fault(path, problem, `write ${number.asker} instead of { $asker: ${number.asker} }`)
}

/** A part that is ignored would widen the rule. */
export function readGrantRule(
  settings: RuleSettings,
  model: Model,
  rule: object,
  path: readonly string[],
): GrantRule {
  if (model.open) throw fault(path, 'rules cannot hide the type, because every relation shows its entries')
  checkParts(rule, path)
  const written: { readonly where?: unknown; readonly fields?: unknown } = rule
  const fields =
    'fields' in written ? readFields(settings.schema, model, written.fields, [...path, 'fields']) : null
  const places = [path.join('.')]
  if (!('where' in written)) return ruleOn({ where: 'all', rows: '', askers: [], places }, fields)
  const at = [...path, 'where']
  const filters = readWhere(written.where, at)
  return ruleOn({ ...readCondition(settings, model, filters, at), rows: keyOf(filters), places }, fields)
}
