import type { ColumnType } from '../../lib/schema'
import type { JsonPart } from './json-part'
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

export interface ShownValue extends Pick<ShownScalar, 'column' | 'values' | 'nullable'> {
  readonly loadingArtefacts: boolean
}

export function scalarSchema({ column, values, nullable, loadingArtefacts }: ShownValue): JsonPart {
  const { type, ...more } = shownSchema(column.type, loadingArtefacts)
  if (type === undefined) return more
  const known =
    values === null || values.length === 0 ? {} : { enum: [...values, ...(nullable ? [null] : [])] }
  return { type: nullable ? [type, 'null'] : type, ...more, ...known }
}
