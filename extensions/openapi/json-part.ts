import type { Uid, ColumnType } from '../../lib/schema'
import type { ShownScalar } from '../../lib/describe'

/** As answers hold it, and as queries compare with it. */
export function valueSchema(type: ColumnType): JsonPart {
  switch (type) {
    case 'id':
    case 'integer':
      return { type: 'integer' }
    case 'float':
    case 'decimal':
      return { type: 'number' }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'datetime':
    case 'timestamp':
      return { type: 'string', format: 'date-time' }
    case 'time':
      // No format of JSON Schema: a time of RFC 3339 says of which zone it is.
      return { type: 'string', pattern: '^\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?$' }
    case 'biginteger':
      return { type: 'string', pattern: '^-?\\d+$' }
    case 'string':
      return { type: 'string' }
    case 'json':
      return {}
  }
}

/** Strapi shows these in the form in which the database has them. */
const shownSchema = (type: ColumnType, loadingArtefacts: boolean): JsonPart =>
  loadingArtefacts && type === 'timestamp' ? { type: 'string' } : valueSchema(type)

interface ShownValue extends Pick<ShownScalar, 'column' | 'values' | 'nullable'> {
  readonly loadingArtefacts: boolean
}

export function scalarSchema({ column, values, nullable, loadingArtefacts }: ShownValue): JsonPart {
  const { type, ...more } = shownSchema(column.type, loadingArtefacts)
  if (type === undefined) return more
  const known =
    values === null || values.length === 0 ? {} : { enum: [...values, ...(nullable ? [null] : [])] }
  return { type: nullable ? [type, 'null'] : type, ...more, ...known }
}

/** As it is answered. */
interface ExampleAnswer {
  readonly data: unknown
  readonly meta: unknown
}

export interface ExampleEntry {
  /** What stands in the path, where anything does. */
  readonly value: string | number | null
  readonly answer: ExampleAnswer
}

/** What was answered to what may be asked of a type; nothing where there was nothing to show. */
export interface TypeExamples {
  readonly list: ExampleAnswer | null
  readonly one: ExampleEntry | null
  /** By the unique attributes of which an entry had a value. */
  readonly by: ReadonlyMap<string, ExampleEntry>
}

export type ExamplesByUid = ReadonlyMap<Uid, TypeExamples>

export const noExamples: TypeExamples = { list: null, one: null, by: new Map() }

/** A part of a document, as JSON has it. */
export type JsonPart = Readonly<Record<string, unknown>>

export const refTo = (kind: 'schemas' | 'parameters' | 'responses', name: string): JsonPart => ({
  $ref: `#/components/${kind}/${name}`,
})

/** All of these and nothing else may be missing: what is not required is left out of the list, and an empty list altogether. */
export function objectOf(
  properties: JsonPart,
  required: readonly string[] = Object.keys(properties),
): JsonPart {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties }
}

export const listOf = (items: JsonPart): JsonPart => ({ type: 'array', items })
