// Input: the types that a role may read.
// Output: the TypeScript interface that clients import.
// Rejected: nothing.
import type { NamedQuery } from '../lib/config'
import {
  type ResponseOptions,
  isEmptyLocaleShown,
  isPaged,
  isWrappedLink,
  queriesOf,
  type ShownLink,
  type ShownScalar,
  type ShownType,
} from '../lib/describe'
import { hasMeaning } from '../lib/operators'
import { placeInQuery } from '../lib/query'
import { type ColumnType, isRecord, type Model, modelNamed, type Schema, type Uid } from '../lib/schema'

/** A part of a TypeScript type: a word, or named parts between braces. Empty parts are left out. */
type TypePart = string | readonly (readonly [name: string, part: TypePart])[]

const isName = /^[A-Za-z_$][\w$]*$/

/** A TypeScript string literal; JSON's quotes are valid too. */
const literal = (text: string): string => (/^[\w .:$/-]*$/.test(text) ? `'${text}'` : JSON.stringify(text))

const keyOf = (name: string): string => (isName.test(name) ? name : literal(name))

function lineOf([name, part]: readonly [string, TypePart], indent: string): string {
  const key = name.endsWith('?') ? `${keyOf(name.slice(0, -1))}?` : keyOf(name)
  return `${indent}${key}: ${writeType(part, indent)}\n`
}

function writeType(part: TypePart, indent = ''): string {
  if (typeof part === 'string') return part
  const told = part.filter(([, of]) => of.length > 0)
  return `{\n${told.map((line) => lineOf(line, `${indent}  `)).join('')}${indent}}`
}

const unionOf = (names: readonly string[]): string =>
  names.length === 0 ? 'never' : names.map(literal).join(' | ')

export function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOfValue).join(', ')}]`
  if (typeof value === 'string') return literal(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const parts = Object.entries(value).map(([name, of]) => `${keyOf(name)}: ${typeOfValue(of)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join('; ')} }`
}

type QueryTable = Readonly<Record<string, unknown>>

type TypesByUid = ReadonlyMap<Uid, ShownType>

function visibleNames(value: unknown, isVisible: (name: string) => boolean): unknown {
  const isList = typeof value === 'string' && value.includes(',')
  const names = isList ? value.split(',').map((name) => name.trim()) : value
  const isShown = (one: unknown): boolean => typeof one === 'string' && (one === '*' || isVisible(one))
  if (Array.isArray(names)) return names.filter(isShown)
  return isShown(names) ? names : []
}

function targetsOf(types: TypesByUid, type: ShownType, name: string): readonly ShownType[] {
  return (type.links.get(name)?.targets ?? []).flatMap((uid) => types.get(uid) ?? [])
}

/** True if each name of a path is a relation. */
const isPath = (types: TypesByUid, type: ShownType, [name = '', ...rest]: readonly string[]): boolean =>
  type.links.has(name) &&
  (rest.length === 0 || targetsOf(types, type, name).some((one) => isPath(types, one, rest)))

function populated(types: TypesByUid, type: ShownType, populate: unknown): unknown {
  if (!isRecord(populate)) return visibleNames(populate, (path) => isPath(types, type, path.split('.')))
  const links = Object.entries(populate).filter(([name]) => type.links.has(name))
  return Object.fromEntries(
    links.map(([name, asked]) => [name, partsByTarget(types, targetsOf(types, type, name), asked)]),
  )
}

/** The part of a query for each target type, from `on`. */
function partsByTarget(types: TypesByUid, targets: readonly ShownType[], asked: unknown): unknown {
  const [target] = targets
  if (!isRecord(asked) || target === undefined) return asked
  const { on } = asked
  if (!isRecord(on)) return visibleParts(types, target, asked)
  const told = targets.filter(({ model }) => model.uid in on)
  return {
    on: Object.fromEntries(
      told.map((one) => [one.model.uid, partsByTarget(types, [one], on[one.model.uid])]),
    ),
  }
}

/** The parts of a host's query that determine the type of its response, without names that a role may not know. */
function visibleParts(types: TypesByUid, type: ShownType, query: QueryTable): QueryTable {
  const { fields, populate, status, pagination, count } = query
  const parts = {
    fields: fields === undefined ? fields : visibleNames(fields, (name) => type.scalars.has(name)),
    populate: populate === undefined ? populate : populated(types, type, populate),
    ...{ status, pagination, count },
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

interface Registering {
  readonly schema: Schema
  readonly options: ResponseOptions
  readonly types: TypesByUid
  readonly keyOf: (uid: Uid) => string
}

function typeOf(type: ColumnType): string {
  switch (type) {
    case 'id':
    case 'integer':
    case 'float':
    case 'decimal':
      return 'number'
    case 'biginteger':
    case 'string':
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'json':
      return 'unknown'
  }
}

type Line = readonly [name: string, part: TypePart]

function scalarLine([name, { column, nullable, values, always }]: readonly [string, ShownScalar]): Line {
  const type = values === null || values.length === 0 ? typeOf(column.type) : unionOf(values)
  return [always ? name : `${name}?`, nullable && type !== 'unknown' ? `${type} | null` : type]
}

/** Null for the default: all operators except those for JSON, with string values. */
function comparedAs(type: ColumnType, matching: ResponseOptions['textMatching']): string | null {
  if (!hasMeaning('$eq', type, matching)) return 'presence'
  const isInstant = type === 'datetime' || type === 'timestamp'
  if (!hasMeaning('$contains', type, matching)) return isInstant || type === 'date' ? 'day' : 'value'
  if (type === 'json') return 'superset'
  return isInstant ? 'instant' : null
}

function comparesLines(scalars: ShownType['scalars'], { textMatching }: ResponseOptions): readonly Line[] {
  return [...scalars].flatMap(([name, { column }]): Line[] => {
    const as = comparedAs(column.type, textMatching)
    return as === null ? [] : [[name, literal(as)]]
  })
}

function linkType({ field, targets }: ShownLink, { options, keyOf }: Registering): string {
  const { role, many } = field
  const facts = [
    `many: ${String(many)}`,
    ...(isWrappedLink(role, options) ? ['wrapped: true'] : []),
    ...(many && isPaged(field, options) ? ['pages: true'] : []),
  ]
  switch (role) {
    case 'zone':
      return `{ zone: ${unionOf(targets)}; unlisted: ${literal(options.unlistedZoneElements)} }`
    case 'morph': {
      const types = targets.map((uid) => `${literal(uid)}: ${literal(keyOf(uid))}`)
      if (field.targets.length > 1) return `{ any: { ${types.join('; ')} }; ${facts.join('; ')} }`
      break
    }
    case 'relation':
    case 'media':
    case 'component':
    case 'localizations':
  }
  return `{ to: ${unionOf(targets.map(keyOf))}; ${facts.join('; ')} }`
}

function isFilled(query: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return query !== undefined
  return typeof query === 'object' && query !== null && isFilled(Reflect.get(query, name), rest)
}

function queryLine(
  [name, { query, parameters = {} }]: readonly [string, NamedQuery],
  partsType: (query: object) => string,
): Line {
  const isNeeded = (place: string): boolean => !isFilled(query, placeInQuery(place))
  const needs = Object.keys(parameters).filter((one) => isNeeded(parameters[one] ?? ''))
  return [
    name,
    [
      ['asks', partsType(query)],
      ['parameters', unionOf(Object.keys(parameters))],
      ['needs', unionOf(needs)],
    ],
  ]
}

function kindOf({ kind, route }: Model): string {
  if (route === null) return 'part'
  return kind === 'singleType' ? 'single' : 'collection'
}

function registered(type: ShownType, registering: Registering): TypePart {
  const { schema, options } = registering
  const { model, reads, scalars, links, hasDrafts, onlyByName } = type
  const isReadable = reads.length > 0
  const asks = (query: object): string => typeOfValue(visibleParts(registering.types, type, { ...query }))
  const unique = [...scalars].filter(([, { column }]) => column.identifies && reads.includes('findOne'))
  const queries = Object.entries(queriesOf(schema, options)(type))
  const defaults = Object.entries(options.defaults).filter(([name]) => modelNamed(schema, name) === model)
  const locale: readonly Line[] = isEmptyLocaleShown(type, options) ? [['locale?', 'null']] : []
  return [
    ['uid', literal(model.uid)],
    ['kind', literal(kindOf(model))],
    ['reads', unionOf(reads)],
    ['asked', literal(onlyByName ? 'by name' : 'freely')],
    ['status', unionOf(['published', ...(hasDrafts ? ['draft'] : [])])],
    ['mayBeDraft', String(model.draftAndPublish || model.kind === 'component')],
    ['scalars', [...[...scalars].map(scalarLine), ...locale]],
    ['compares', comparesLines(scalars, options)],
    [
      'links',
      [...links].map(([name, link]): Line => [link.always ? name : `${name}?`, linkType(link, registering)]),
    ],
    ['unique', unionOf(unique.map(([name]) => name))],
    ['queries', isReadable ? queries.map((one) => queryLine(one, asks)) : []],
    ['defaults', defaults.map(([, query]) => asks(query))[0] ?? ''],
  ]
}

/** The types for typed clients: one interface without code. */
export function contentTypes(types: readonly ShownType[], schema: Schema, options: ResponseOptions): string {
  const byUid = new Map(types.map((type) => [type.model.uid, type]))
  const keyOf = (uid: Uid): string => byUid.get(uid)?.key ?? uid
  const registering = { schema, options, types: byUid, keyOf }
  const all = types.map((type): Line => [type.key, registered(type, registering)])
  return `export interface Content ${writeType(all)}\n`
}
