import { createHash } from 'node:crypto'
import { ConfigError, type Fault, RequestError } from '../errors'
import { type AskerOperand, checkRule, type PlanSettings } from '../plan'
import {
  type AskedCondition,
  isRawObject,
  type RawObject,
  readHostQuery,
  readRule,
  UnfitQuery,
} from '../query'
import type { Model } from '../schema'

/** Which rows of a type may be seen, as the host wrote it. */
export interface RowRule {
  /** Equal for rules that say the same, in every process. */
  readonly key: string
  readonly where: AskedCondition
  /** The values of whoever asks that it compares with. */
  readonly askers: readonly AskerOperand[]
}

export type RuleSettings = Pick<PlanSettings, 'schema' | 'matching' | 'strapiArtefacts'>

/** The host's own words: as many as it needs, and no more than a slip would hold. */
const limits = { arrayLimit: 10_000, maxParameters: 100_000, maxLength: 10_000_000 }

const remedy = `use { where: { owner: { id: { $eq: { $asker: 'id' } } } } }`

const fault = (path: readonly string[], problem: string): ConfigError =>
  new ConfigError([{ where: path.join('.'), problem, remedy }])

function keyOf(where: RawObject): string {
  return createHash('sha256').update(JSON.stringify(where)).digest('base64url').slice(0, 22)
}

const pathOf = ({ details }: RequestError, otherwise: readonly string[]): string =>
  typeof details['path'] === 'string' && details['path'] !== '' ? details['path'] : otherwise.join('.')

function faultsOf(errors: readonly RequestError[], path: readonly string[]): Fault[] {
  return errors.map((error) => ({ where: pathOf(error, path), problem: error.message }))
}

function whereOf(rule: object, path: readonly string[]): object {
  const { where, ...others } = rule as { readonly where?: unknown }
  const [odd] = Object.keys(others)
  if (odd !== undefined) throw fault([...path, odd], 'there is no such part of a rule')
  if (typeof where !== 'object' || where === null) throw fault([...path, 'where'], 'is no filter')
  return where
}

type ReadWhere = Pick<RowRule, 'key' | 'where'>

function readWhere(where: object, path: readonly string[]): ReadWhere {
  try {
    const { filters = null } = readHostQuery({ filters: where }, limits)
    if (!isRawObject(filters) || Object.keys(filters).length === 0) throw fault(path, 'holds no condition')
    return { key: keyOf(filters), where: readRule(filters, path) }
  } catch (error) {
    if (error instanceof UnfitQuery) throw fault([...path, ...error.path.slice(1)], error.problem)
    if (error instanceof RequestError) throw new ConfigError(faultsOf([error], path))
    throw error
  }
}

/** Refused with all that is wrong with it: what falls away from a rule would widen it. */
export function readRowRule(
  settings: RuleSettings,
  model: Model,
  rule: object,
  path: readonly string[],
): RowRule {
  if (model.open) throw fault(path, 'is shown wherever it is linked: no rule can hide it there')
  const at = [...path, 'where']
  const { key, where } = readWhere(whereOf(rule, path), at)
  const { faults, askers } = checkRule(settings, model, where)
  if (faults.length > 0) throw new ConfigError(faultsOf(faults, at))
  return { key, where, askers }
}
