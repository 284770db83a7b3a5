import type { ParameterForms } from './parameters'
import {
  type JsonPart,
  listOf,
  objectOf,
  refTo,
  type ExampleEntry,
  type ExamplesByUid,
  noExamples,
  type TypeExamples,
} from './json-part'
import type { SchemaNames } from './schema-names'
import {
  indexResponses,
  inJson,
  listMetaWith,
  type ResponseForms,
  responseIfMissing,
  responsesOf,
} from './shared-responses'
import { describeSearch, searchPath } from './describe-search'
import { inQuery } from './page-parameters'
import type { DescribedParameter, ReadingDescription, ShownType } from '../../lib/describe'

export interface PathMaking extends ResponseForms {
  readonly names: SchemaNames
  readonly asked: ParameterForms
  /** Empty for most documents. */
  readonly examples: ExamplesByUid
  readonly hasIndex: boolean
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly JsonPart[]
  readonly responses: JsonPart
}

const examplesOf = ({ model }: ShownType, { examples }: PathMaking): TypeExamples =>
  examples.get(model.uid) ?? noExamples

function entryResponse(name: string, making: PathMaking, example: ExampleEntry | null): JsonPart {
  const schema = objectOf({ data: refTo('schemas', name), meta: refTo('schemas', 'EntryMeta') })
  const content = inJson(schema, example === null ? null : example.answer)
  return { ...responsesOf({ description: 'The entry', content }, making), ...responseIfMissing }
}

interface NamedDescription extends ReadingDescription {
  readonly name: string
}

const descriptionsOf = (type: ShownType): readonly NamedDescription[] =>
  type.readings.flatMap(({ name, describe }) => (describe === undefined ? [] : { name, ...describe(type) }))

const ownParameters = (parameters: readonly DescribedParameter[] = []): readonly JsonPart[] =>
  parameters.map(({ name, ...facts }) => inQuery(name, facts))

function readingOperation(
  type: ShownType,
  { names, asked, ...making }: PathMaking,
  { name, path }: { readonly name: string; readonly path: NonNullable<ReadingDescription['path']> },
): Operation {
  const { summary, parameters, rejects, content } = path
  const typeName = names.of(type.model.uid)
  const body = { description: summary, content: content(listMetaWith({})) }
  return {
    operationId: `${name}${typeName}`,
    summary,
    tags: [typeName],
    parameters: [...ownParameters(parameters), ...asked.reading(type, rejects)],
    responses: responsesOf(body, making),
  }
}

function listOperation(type: ShownType, making: PathMaking): Operation {
  const name = making.names.of(type.model.uid)
  const besides = [describeSearch(type), ...descriptionsOf(type).map(({ list }) => list)]
  const meta = listMetaWith(Object.assign({}, ...besides.map((beside) => beside?.meta)) as JsonPart)
  const schema = objectOf({ data: listOf(refTo('schemas', name)), meta })
  const content = inJson(schema, examplesOf(type, making).list)
  return {
    operationId: `list${name}`,
    summary: `A page of ${type.model.pluralName}`,
    tags: [name],
    parameters: [
      ...making.asked.list(type),
      ...besides.flatMap((beside) => ownParameters(beside?.parameters)),
    ],
    responses: responsesOf({ description: 'A page', content }, making),
  }
}

function singleOperation(
  type: ShownType,
  making: PathMaking,
  example: ExampleEntry | null = examplesOf(type, making).one,
): Operation {
  const name = making.names.of(type.model.uid)
  return {
    operationId: `get${name}`,
    summary: `The ${type.model.singularName}`,
    tags: [name],
    parameters: making.asked.entry(type),
    responses: entryResponse(name, making, example),
  }
}

const inPath = (name: string, schema: JsonPart, example: ExampleEntry | null): JsonPart => ({
  ...{ name, in: 'path', required: true, schema },
  ...(example === null ? {} : { example: example.value }),
})

function entryOperation(type: ShownType, making: PathMaking): Operation {
  const { parameters, ...operation } = singleOperation(type, making)
  const { singularName } = type.model
  const documentId = inPath('documentId', { type: 'string' }, examplesOf(type, making).one)
  const summary = `The ${singularName} with this documentId`
  return { ...operation, summary, parameters: [documentId, ...parameters] }
}

/** Generators derive function names from it, and linters want URL-safe characters. */
const inOperationId = (attribute: string): string => encodeURIComponent(attribute).replaceAll('%', '_')

function byOperation(type: ShownType, making: PathMaking, attribute: string): Operation {
  const example = examplesOf(type, making).by.get(attribute) ?? null
  const { parameters, operationId, ...operation } = singleOperation(type, making, example)
  const whole = type.scalars.get(attribute)?.column.type === 'integer'
  return {
    ...operation,
    operationId: `${operationId}By.${inOperationId(attribute)}`,
    summary: `The ${type.model.singularName} with this ${attribute}`,
    parameters: [inPath('value', { type: whole ? 'integer' : 'string' }, example), ...parameters],
  }
}

type PathOperation = readonly [path: string, item: { readonly get: Operation }]

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
  const lists = (): readonly PathOperation[] => [
    [path, { get: listOperation(type, making) }],
    ...descriptionsOf(type).flatMap(({ name, path: own }): PathOperation[] =>
      own === undefined
        ? []
        : [[`${path}/${name}`, { get: readingOperation(type, making, { name, path: own }) }]],
    ),
  ]
  return [...(reads.includes('find') ? lists() : []), ...(reads.includes('findOne') ? ones() : [])]
}

const index = {
  get: {
    operationId: 'index',
    summary: 'List the types that you can read, with their paths',
    responses: indexResponses,
  },
}

export const apiPaths = (types: readonly ShownType[], making: PathMaking): JsonPart => ({
  ...(making.hasIndex ? { '/': index } : {}),
  ...searchPath(types, making.names),
  ...Object.fromEntries(types.flatMap((type) => pathsOfType(type, making))),
})
