import type { Uid, ColumnType } from '../../lib/schema'
import type { ShownScalar } from '../../lib/describe'

/** The schema of a value in responses and in filters. */
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
      // JSON Schema's `time` format requires a time zone.
      return { type: 'string', pattern: '^\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?$' }
    case 'biginteger':
      return { type: 'string', pattern: '^-?\\d+$' }
    case 'string':
      return { type: 'string' }
    case 'json':
      return {}
  }
}

/** Strapi shows these values in the database's own format. */
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

interface ExampleResponse {
  readonly data: unknown
  readonly meta: unknown
}

export interface ExampleEntry {
  readonly value: string | number | null
  readonly answer: ExampleResponse
}

/** Examples of responses; null if the role has no entries to show. */
export interface TypeExamples {
  readonly list: ExampleResponse | null
  readonly one: ExampleEntry | null
  readonly by: ReadonlyMap<string, ExampleEntry>
}

export type ExamplesByUid = ReadonlyMap<Uid, TypeExamples>

export const noExamples: TypeExamples = { list: null, one: null, by: new Map() }

export type JsonPart = Readonly<Record<string, unknown>>

export const refTo = (kind: 'schemas' | 'parameters' | 'responses', name: string): JsonPart => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Everything is required unless `required` is given; an empty list is left out. */
export function objectOf(
  properties: JsonPart,
  required: readonly string[] = Object.keys(properties),
): JsonPart {
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties }
}

export const listOf = (items: JsonPart): JsonPart => ({ type: 'array', items })
