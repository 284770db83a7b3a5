import { operatorsFor, type ResponseOptions, type ShownType } from '../../lib/describe'
import type { ColumnType } from '../../lib/schema'

const jsonTypes: Readonly<Record<ColumnType, string>> = {
  ...{ id: 'integer', integer: 'integer', float: 'number', decimal: 'number', boolean: 'boolean' },
  ...{ biginteger: 'string of digits', string: 'string', json: 'any JSON' },
  ...{ date: 'date, YYYY-MM-DD', time: 'time, HH:MM:SS' },
  ...{ datetime: 'date-time in UTC, ISO 8601', timestamp: 'date-time in UTC, ISO 8601' },
}

/** A type, and the names of the tools that accept it. */
export interface ToolType extends ShownType {
  readonly tools: readonly string[]
}

/** A single type has one entry, which `find_one` reads. */
export function withTools(type: ShownType): ToolType {
  const { model, reads, readings, ranked } = type
  const isList = model.kind !== 'singleType'
  const ofLists = ranked.length > 0 ? ['find', 'search'] : ['find']
  const readers = reads.flatMap((read) => (isList && read === 'find' ? ofLists : ['find_one', 'read_text']))
  const aggregates = readings.map(({ name }) => name).filter((name) => name === 'aggregate')
  return { ...type, tools: ['describe_type', ...readers, ...aggregates] }
}

/** Attributes and relations that a role may read, with the operators of each attribute. Relations name types as the tools do. */
export function describeType(type: ToolType, all: readonly ToolType[], options: ResponseOptions): object {
  const keyOf = (uid: string): string => all.find(({ model }) => model.uid === uid)?.key ?? uid
  const { model, key, tools, scalars, links, hasDrafts } = type
  const attributes = [...scalars].map(([name, { column, values, nullable }]) => {
    const operators = operatorsFor(column.type, options.textMatching)
    const known = values && { enum: values }
    return [name, { type: jsonTypes[column.type], ...known, nullable, operators }] as const
  })
  const relations = [...links].map(([name, { field, targets }]) => {
    return [name, { kind: field.role, many: field.many, types: targets.map(keyOf) }] as const
  })
  return {
    ...{ type: key, kind: model.kind, tools },
    ...(hasDrafts ? { status: ['published', 'draft'] } : {}),
    isLocalized: model.localized,
    attributes: Object.fromEntries(attributes),
    relations: Object.fromEntries(relations),
  }
}
