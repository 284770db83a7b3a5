import type { AskedForms } from './asked-forms'
import { type JsonPart, listOf, objectOf, refTo } from './json-part'
import type { SchemaNames } from './schema-names'
import { type AnswerForms, answerIfMissing, answersOf, indexAnswers } from './shared-responses'
import type { ShownType } from './shown-types'

export interface PathMaking extends AnswerForms {
  readonly names: SchemaNames
  readonly asked: AskedForms
  /** Whether the mount itself lists what there is to read. */
  readonly hasIndex: boolean
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters: readonly JsonPart[]
  readonly responses: JsonPart
}

function entryAnswer(name: string, making: PathMaking): JsonPart {
  const entry = objectOf({ data: refTo('schemas', name), meta: refTo('schemas', 'EntryMeta') })
  return { ...answersOf('The entry', entry, making), ...answerIfMissing }
}

function listOperation(type: ShownType, making: PathMaking): Operation {
  const name = making.names.of(type.model.uid)
  const page = objectOf({ data: listOf(refTo('schemas', name)), meta: refTo('schemas', 'ListMeta') })
  return {
    operationId: `list${name}`,
    summary: `A page of ${type.model.pluralName}`,
    tags: [name],
    parameters: making.asked.list(type),
    responses: answersOf('A page', page, making),
  }
}

function singleOperation(type: ShownType, making: PathMaking): Operation {
  const name = making.names.of(type.model.uid)
  return {
    operationId: `get${name}`,
    summary: `The ${type.model.singularName}`,
    tags: [name],
    parameters: making.asked.entry(type),
    responses: entryAnswer(name, making),
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

const index = {
  get: {
    operationId: 'index',
    summary: 'What may be read, and where',
    responses: indexAnswers,
  },
}

export const apiPaths = (types: readonly ShownType[], making: PathMaking): JsonPart => ({
  ...(making.hasIndex ? { '/': index } : {}),
  ...Object.fromEntries(types.flatMap((type) => pathsOfType(type, making))),
})
