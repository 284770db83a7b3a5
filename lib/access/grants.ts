import { type Action, actions, type AskerTexts } from '../config'
import { type Model, type Schema, didYouMean } from '../schema'
import { askerValueOf, type AskerOperand, type Value, checkRule, type PlanSettings } from '../plan'
import { createHash } from 'node:crypto'
import { ConfigError, type Fault, RequestError } from '../errors'
import {
  type AskedCondition,
  isCompareOperator,
  isRawObject,
  operators,
  type Raw,
  type RawObject,
  readHostQuery,
  readRule,
  UnfitQuery,
} from '../query'

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

/** Which rows of a type may be seen, and what of them, as the host wrote it. */
export interface GrantRule {
  /** Equal for rules that say the same, in every process. */
  readonly key: string
  readonly where: AskedCondition | 'all' | 'none'
  /** Equal for rules on the same rows. */
  readonly rows: string
  /** The names that exist, of attributes and links; null: all of them. */
  readonly fields: ReadonlySet<string> | null
  /** The values of whoever asks that it compares with. */
  readonly askers: readonly AskerOperand[]
  /** Where the host wrote it, for operators. */
  readonly places: readonly string[]
}

export type RuleSettings = Pick<
  PlanSettings,
  'schema' | 'matching' | 'loadingArtefacts' | 'supersets' | 'typedJson'
>

/** The host's own words: as many as it needs, and no more than a slip would hold. */
const limits = { arrayLimit: 10_000, maxParameters: 100_000, maxLength: 10_000_000 }

const whereRemedy = `use { where: { owner: { id: { $eq: { $asker: 'id' } } } } }`

const fieldsRemedy = `use { fields: ['title', 'author'] }`

const fault = (path: readonly string[], problem: string, remedy = whereRemedy): ConfigError =>
  new ConfigError([{ where: path.join('.'), problem, remedy }])

function keyOf(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22)
}

type Rows = Pick<GrantRule, 'where' | 'rows' | 'askers' | 'places'>

function ruleOn(rows: Rows, fields: GrantRule['fields']): GrantRule {
  return { ...rows, fields, key: fields === null ? rows.rows : keyOf([rows.rows, ...[...fields].sort()]) }
}

/** The same for who lacks a value that it compares with: they know what there is, and see none of it. */
export const ofNoRows = (rule: GrantRule): GrantRule => ({
  ...rule,
  ...{ key: `no ${rule.key}`, rows: `no ${rule.rows}`, where: 'none', askers: [] },
})

/** What two rules on the same rows come to. */
export function together(one: GrantRule, other: GrantRule): GrantRule {
  const rows = { ...one, places: [...one.places, ...other.places] }
  if (one.fields === null || other.fields === null) return ruleOn(rows, null)
  return ruleOn(rows, new Set([...one.fields, ...other.fields]))
}

const pathOf = ({ details }: RequestError, otherwise: readonly string[]): string =>
  typeof details['path'] === 'string' && details['path'] !== '' ? details['path'] : otherwise.join('.')

function faultsOf(errors: readonly RequestError[], path: readonly string[]): Fault[] {
  return errors.map((error) => ({ where: pathOf(error, path), problem: error.message }))
}

/** What stands there and is not to fall away without a word. */
interface WrittenRule {
  readonly where?: unknown
  readonly fields?: unknown
}

const parts = ['where', 'fields']

function checkParts(rule: object, path: readonly string[]): void {
  const names = Object.keys(rule)
  const odd = names.find((name) => !parts.includes(name))
  if (odd !== undefined) throw fault([...path, odd], 'there is no such part of a rule')
  if (names.length === 0) throw fault(path, 'says neither where nor fields')
}

/** To have any at all is a condition, and to have none. */
const mayBeEmpty = ['$some', '$none']

const turning = ['$not', '$none']

/** A list that nothing is in is met by no row, and what is turned round by every row. */
function isMetByNone(path: readonly string[]): boolean {
  const name = path.at(-1) ?? ''
  if (!isCompareOperator(name) || path.some((above) => turning.includes(above))) return false
  const { takes, negated } = operators[name]
  return takes === 'any number' && !negated
}

/** What holds nothing holds for every row, so that it would widen the rule without a word. */
function checkFilled(raw: Raw, path: readonly string[]): void {
  if (typeof raw !== 'object' || raw === null) return
  const parts = Object.entries(raw)
  if (parts.length === 0 && !mayBeEmpty.includes(path.at(-1) ?? '') && !isMetByNone(path))
    throw fault(path, 'holds no condition')
  for (const [name, part] of parts) checkFilled(part, [...path, name])
}

function readWhere(where: unknown, path: readonly string[]): RawObject {
  if (typeof where !== 'object' || where === null) throw fault(path, 'is no filter')
  try {
    const { filters = null } = readHostQuery({ filters: where }, limits)
    if (!isRawObject(filters)) throw fault(path, 'holds no condition')
    checkFilled(filters, path)
    return filters
  } catch (error) {
    if (error instanceof UnfitQuery) throw fault([...path, ...error.path.slice(1)], error.problem)
    throw error
  }
}

function conditionOf(filters: RawObject, path: readonly string[]): AskedCondition {
  try {
    return readRule(filters, path)
  } catch (error) {
    if (error instanceof RequestError) throw new ConfigError(faultsOf([error], path))
    throw error
  }
}

/** With those of custom fields, which the database may not have told of yet. */
const namesIn = ({ custom }: Schema, { uid, columns, links, emptyRelations }: Model): string[] => [
  ...[...columns.keys(), ...links.keys(), ...emptyRelations],
  ...custom.flatMap((one) => (one.uid === uid ? one.attribute : [])),
]

function readFields(
  { schema }: RuleSettings,
  model: Model,
  fields: unknown,
  path: readonly string[],
): ReadonlySet<string> {
  if (!Array.isArray(fields)) throw fault(path, 'is no list of attributes', fieldsRemedy)
  const names = namesIn(schema, model)
  const read = fields.map((name: unknown, at) => {
    if (typeof name === 'string' && names.includes(name)) return name
    const problem = `${model.uid} has no attribute ${String(name)} that answers show`
    throw fault([...path, String(at)], problem, didYouMean(String(name), names))
  })
  return new Set(read)
}

function readConditions(
  settings: RuleSettings,
  model: Model,
  where: AskedCondition,
  path: readonly string[],
): readonly AskerOperand[] {
  const { faults, askers } = checkRule(settings, model, where)
  if (faults.length > 0) throw new ConfigError(faultsOf(faults, path))
  const number = askers.find(({ asker }) => /^-?\d+$/.test(asker))
  if (number !== undefined)
    throw fault(
      path,
      `$asker: ${number.asker} is a number, and no name of a value`,
      'compare with the number itself',
    )
  return askers
}

/** Refused with all that is wrong with it: what falls away from a rule would widen it. */
export function readGrantRule(
  settings: RuleSettings,
  model: Model,
  rule: object,
  path: readonly string[],
): GrantRule {
  if (model.open) throw fault(path, 'is shown wherever it is linked: no rule can hide it there')
  checkParts(rule, path)
  const { where: writtenWhere, fields: writtenFields }: WrittenRule = rule
  const fields = 'fields' in rule ? readFields(settings, model, writtenFields, [...path, 'fields']) : null
  const places = [path.join('.')]
  if (!('where' in rule)) return ruleOn({ where: 'all', rows: '', askers: [], places }, fields)
  const at = [...path, 'where']
  const filters = readWhere(writtenWhere, at)
  const where = conditionOf(filters, at)
  const askers = readConditions(settings, model, where, at)
  return ruleOn({ where, rows: keyOf(filters), askers, places }, fields)
}
