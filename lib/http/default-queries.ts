import {
  fillOptions,
  type FilledOptions,
  type TypeDefaults,
  type CoreConfig,
  faultsOfOptions,
} from '../config'
import { type Fault, forbidden, RequestError } from '../errors'
import { type DefaultQuery, parseQuery, readHostQuery, UnfitQuery } from '../query'
import { didYouMean, type Model, modelNamed, type Schema, type Uid } from '../schema'
import { tryQuery } from './try-query'
import { faultsOfType } from './wrong-permissions'
import { isPlainTable } from './wrong-permissions'

const option = 'defaults'

const parameters = ['populate', 'fields', 'sort', 'filters']

export type DefaultQueries = ReadonlyMap<Uid, DefaultQuery>

/** The host wrote it once, and in its code. */
const unlimited = { arrayLimit: Infinity, maxParameters: Infinity, maxLength: Infinity }

const defaultQueryOf = (name: string, given: TypeDefaults): DefaultQuery => {
  const path = [option, name]
  return { path, raw: readHostQuery(given, unlimited, path) }
}

/** After the check at start, by the types that they are for. */
export function readDefaultQueries(
  { defaults }: Pick<FilledOptions, 'defaults'>,
  schema: Schema,
): DefaultQueries {
  return new Map(
    Object.entries(defaults).flatMap(([name, given]): [Uid, DefaultQuery][] => {
      const model = modelNamed(schema, name)
      return model === undefined ? [] : [[model.uid, defaultQueryOf(name, given)]]
    }),
  )
}

/** The client did not ask for what the host wrote: a role that may not ask it hears no name of it. */
export function withoutDefaultNames<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    const isOfDefaults = error instanceof RequestError && error.details['param'] === option
    throw isOfDefaults ? forbidden() : error
  }
}

interface CheckedDefaults {
  readonly options: FilledOptions
  readonly schema: Schema
  readonly model: Model
  readonly query: DefaultQuery
}

function faultsOfQuery(checked: CheckedDefaults): Fault[] {
  const { path } = checked.query
  try {
    tryQuery(checked, (limits) => parseQuery('', limits, checked.query))
    return []
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const where = error.details['path']
    return [
      { where: typeof where === 'string' && where !== '' ? where : path.join('.'), problem: error.message },
    ]
  }
}

function faultsOfParameters(where: string, given: object): Fault[] {
  return Object.keys(given)
    .filter((name) => !parameters.includes(name))
    .map((name) => ({
      where: `${where}.${name}`,
      problem: 'there is no such default',
      remedy: didYouMean(name, parameters),
    }))
}

function faultsOfOne(name: string, given: TypeDefaults, options: FilledOptions, schema: Schema): Fault[] {
  const where = `${option}.${name}`
  const model = modelNamed(schema, name)
  if (model === undefined) return faultsOfType(where, name, schema)
  if (model.route === null) return [{ where, problem: 'is nothing that is asked for by itself' }]
  if (!isPlainTable(given))
    return [{ where, problem: 'is no table', remedy: 'use { populate, fields, sort, filters }' }]
  const odd = faultsOfParameters(where, given)
  if (odd.length > 0) return odd
  try {
    return faultsOfQuery({ options, schema, model, query: defaultQueryOf(name, given) })
  } catch (error) {
    if (!(error instanceof UnfitQuery)) throw error
    return [{ where: error.path.join('.'), problem: error.problem }]
  }
}

function faultsOfTwice(names: readonly string[], schema: Schema): Fault[] {
  const uids = names.map((name) => modelNamed(schema, name)?.uid)
  return names.flatMap((name, index): Fault[] => {
    const uid = uids[index]
    const isSecond = uid !== undefined && uids.indexOf(uid) < index
    return isSecond ? [{ where: `${option}.${name}`, problem: `${uid} has defaults already` }] : []
  })
}

/** Everything that is wrong with what requests ask where they do not say, found before the first of them. */
export function faultsOfDefaults(config: CoreConfig, schema: Schema): Fault[] {
  if (config.defaults === undefined || faultsOfOptions(config).length > 0) return []
  const options = fillOptions(config)
  const all = Object.entries(options.defaults)
  return [
    ...all.flatMap(([name, given]) => faultsOfOne(name, given, options, schema)),
    ...faultsOfTwice(Object.keys(options.defaults), schema),
  ]
}
