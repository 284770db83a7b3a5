import { createHash } from 'node:crypto'
import { ConfigError, type Fault, RequestError } from '../errors'
import { type AskerOperand, checkRule, type PlanSettings } from '../plan'
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
import { didYouMean, type Model, type Schema } from '../schema'

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
