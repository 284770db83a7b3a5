import { operatorsFor, type ResponseOptions, type ShownType } from '../../lib/describe'
import type { ColumnType } from '../../lib/schema'

const jsonTypes: Readonly<Record<ColumnType, string>> = {
  ...{ id: 'integer', integer: 'integer', float: 'number', decimal: 'number', boolean: 'boolean' },
  ...{ biginteger: 'string of digits', string: 'string', json: 'any JSON' },
  ...{ date: 'date, YYYY-MM-DD', time: 'time, HH:MM:SS' },
  ...{ datetime: 'date-time in UTC, ISO 8601', timestamp: 'date-time in UTC, ISO 8601' },
}

/** What a role may read of a type, and the operators of each attribute. Relations name types as the tools do. */
export function describeType(type: ShownType, types: readonly ShownType[], options: ResponseOptions): object {
  const keyOf = (uid: string): string => types.find(({ model }) => model.uid === uid)?.key ?? uid
  const { model, key, scalars, links, hasDrafts } = type
  const attributes = [...scalars].map(([name, { column, values, nullable }]) => {
    const operators = operatorsFor(column.type, options.textMatching)
    const known = values === null ? {} : { enum: values }
    return [name, { type: jsonTypes[column.type], ...known, nullable, operators }] as const
  })
  const relations = [...links].map(([name, { field, targets }]) => {
    return [name, { kind: field.role, many: field.many, types: targets.map(keyOf) }] as const
  })
  return {
    ...{ type: key, kind: model.kind, tools: toolsOf(type) },
    ...(hasDrafts ? { status: ['published', 'draft'] } : {}),
    isLocalized: model.localized,
    attributes: Object.fromEntries(attributes),
    relations: Object.fromEntries(relations),
  }
}

/** A single type has one entry, which `find_one` reads. */
export function toolsOf({ model, reads }: ShownType): readonly string[] {
  return reads.map((action) => (action === 'find' && model.kind !== 'singleType' ? 'find' : 'find_one'))
}
