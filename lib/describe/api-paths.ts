import type { NamedQuery } from '../config'
import { answersOf } from './shared-responses'
import { type FilterChoice, filterParameters } from './filter-parameters'
import { type JsonPart, listOf, objectOf, refTo } from './json-part'
import { draftParameters, entryParameters, inQuery } from './page-parameters'
import { shapeParameters, sortParameter } from './shape-parameters'
import type { SchemaNames } from './schema-names'
import type { ShownType } from './shown-types'

export interface PathMaking {
  readonly names: SchemaNames
  readonly filters: FilterChoice
  /** Those of a type, by their names. */
  readonly queriesOf: (type: ShownType) => Readonly<Record<string, NamedQuery>>
  /** Names of parameters of all lists. */
  readonly pages: readonly string[]
}

const shared = (names: readonly string[]): readonly JsonPart[] =>
  names.map((name) => refTo('parameters', name))

/** Attributes that nearly every type has need to be written only once. */
function ofEveryType(parameter: JsonPart): JsonPart {
  const key = sharedFilterKey(parameter)
  return key === null ? parameter : refTo('parameters', key)
}

const built = /^filters\[(id|documentId|createdAt|updatedAt|publishedAt)\]\[\$(\w+)\]$/

export function sharedFilterKey({ name }: JsonPart): string | null {
  const [, attribute, operator] = built.exec(String(name)) ?? []
  return attribute === undefined || operator === undefined ? null : `${attribute}.${operator}`
}

/** Of a type, under its name and a dot. */
const ownKeys = (type: ShownType, { names }: PathMaking): readonly string[] =>
  Object.keys(shapeParameters(type)).map((name) => `${names.of(type.model.uid)}.${name}`)

const hasQueries = (type: ShownType, { queriesOf }: PathMaking): boolean =>
  Object.keys(queriesOf(type)).length > 0

/** A query of the host's, and what it asks for of those who ask it. */
function namedParameters(type: ShownType, { queriesOf }: PathMaking): readonly JsonPart[] {
  const queries = Object.entries(queriesOf(type))
  const parameters = new Set(queries.flatMap(([, query]) => Object.keys(query.parameters ?? {})))
  const query = inQuery('query', {
    schema: { type: 'string', enum: queries.map(([name]) => name) },
    description: 'A query that the server knows by this name',
  })
  return [
    type.onlyByName ? { ...query, required: true } : query,
    ...[...parameters].map((name) =>
      inQuery(name, { schema: { type: 'string' }, description: 'Of queries that have a name' }),
    ),
  ]
}

const whichKeys = ({ hasDrafts }: ShownType): readonly string[] => [
  ...Object.keys(entryParameters),
  ...(hasDrafts ? Object.keys(draftParameters) : []),
]

function entryQuery(type: ShownType, making: PathMaking): readonly JsonPart[] {
  const which = whichKeys(type)
  const named = hasQueries(type, making) ? namedParameters(type, making) : []
  if (type.onlyByName) {
    return [...named, ...shared(which.filter((name) => name !== 'publicationFilter'))]
  }
  return [...shared([...ownKeys(type, making), ...which]), ...named]
}

function listQuery(type: ShownType, making: PathMaking): readonly JsonPart[] {
  const pages = shared(making.pages)
  if (type.onlyByName) return [...entryQuery(type, making), ...pages]
  return [
    ...entryQuery(type, making),
    sortParameter(type),
    refTo('parameters', 'search'),
    ...pages,
    ...filterParameters(type, making.filters).map(ofEveryType),
  ]
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly JsonPart[]
  readonly responses: JsonPart
}

const entryAnswer = (name: string): JsonPart =>
  answersOf(
    'The entry',
    objectOf({ data: refTo('schemas', name), meta: refTo('schemas', 'EntryMeta') }),
    true,
  )

function listOperation(type: ShownType, making: PathMaking): Operation {
  const name = making.names.of(type.model.uid)
  const page = objectOf({ data: listOf(refTo('schemas', name)), meta: refTo('schemas', 'ListMeta') })
  return {
    operationId: `list${name}`,
    summary: `A page of ${type.model.pluralName}`,
    tags: [name],
    parameters: listQuery(type, making),
    responses: answersOf('A page', page, false),
  }
}

function singleOperation(type: ShownType, making: PathMaking): Operation {
  const name = making.names.of(type.model.uid)
  return {
    operationId: `get${name}`,
    summary: `The ${type.model.singularName}`,
    tags: [name],
    parameters: entryQuery(type, making),
    responses: entryAnswer(name),
  }
}

const inPath = (name: string, schema: JsonPart): JsonPart => ({ name, in: 'path', required: true, schema })

function entryOperation(type: ShownType, making: PathMaking): Operation {
  const { parameters, ...operation } = singleOperation(type, making)
  const { singularName } = type.model
  const documentId = inPath('documentId', { type: 'string' })
  const summary = `The ${singularName} of this documentId`
  return { ...operation, summary, parameters: [documentId, ...parameters] }
}

function byOperation(type: ShownType, making: PathMaking, attribute: string): Operation {
  const { parameters, operationId, ...operation } = singleOperation(type, making)
  const whole = type.scalars.get(attribute)?.column.type === 'integer'
  return {
    ...operation,
    operationId: `${operationId}By.${attribute}`,
    summary: `The ${type.model.singularName} with this ${attribute}`,
    parameters: [inPath('value', { type: whole ? 'integer' : 'string' }), ...parameters],
  }
}

type PathOperation = readonly [path: string, item: { readonly get: Operation }]

/** Below where the router is mounted. */
function pathsOfType(type: ShownType, making: PathMaking): readonly PathOperation[] {
  const { model, reads, scalars } = type
  if (model.route === null) return []
  const path = `/${encodeURIComponent(model.route)}`
  if (model.kind === 'singleType')
    return reads.includes('find') ? [[path, { get: singleOperation(type, making) }]] : []
  const unique = [...scalars].filter(([, { column }]) => column.identifies)
  const ones = (): readonly PathOperation[] => [
    [`${path}/{documentId}`, { get: entryOperation(type, making) }],
    ...unique.map(([name]): PathOperation => [
      `${path}/by/${encodeURIComponent(name)}/{value}`,
      { get: byOperation(type, making, name) },
    ]),
  ]
  return [
    ...(reads.includes('find') ? [[path, { get: listOperation(type, making) }] as const] : []),
    ...(reads.includes('findOne') ? ones() : []),
  ]
}

export const apiPaths = (types: readonly ShownType[], making: PathMaking): JsonPart =>
  Object.fromEntries(types.flatMap((type) => pathsOfType(type, making)))
