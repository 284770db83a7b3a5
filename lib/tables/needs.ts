import { type LinkField, linkedTypes, type Model, type Schema, type Uid } from '../schema'
import type { RequiredTable } from '../config'
import { strapiTables } from './content-tables'
import { linkColumnsOf } from './indexes'
import type { ActualTables } from './read-tables'
import type { TableLayout } from './table-dialect'

export type WantedColumns = ReadonlyMap<string, readonly string[]>

/** A type as far as requests read it, with the conditions of its rules. */
export interface NeededType {
  readonly model: Model
  readonly conditions: readonly unknown[]
}

export interface NeededTypes {
  readonly types: ReadonlyMap<Uid, NeededType>
  /** Types with routes. Links lead to the others. */
  readonly roots: readonly Uid[]
  /** Strapi shows the empty locale of types without locales. */
  readonly readsEmptyLocale: boolean
}

export interface TableNeeds {
  readonly models: ReadonlyMap<Uid, Model>
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  readonly asked: readonly RequiredTable[]
}

type NeededColumns = readonly [table: string, columns: readonly string[]]

function neededByLink(model: Model, field: LinkField, targets: readonly Model[]): readonly NeededColumns[] {
  const { link } = field
  if (link.via === 'here') return [[model.table, [link.key, link.type]]]
  const tables = targets.map(({ table }) => table)
  return linkColumnsOf(field, tables).map(({ table, key, fixed, order, taken }) => [
    table,
    [key, ...fixed, ...(order === null ? [] : [order]), ...taken],
  ])
}

function entryColumns(model: Model, readsEmptyLocale: boolean): readonly string[] {
  const isLocaleRead = model.localized || (readsEmptyLocale && !model.hidesLocale)
  return [
    ...(model.physical.isExisting ? [model.key.column] : ['id', 'document_id']),
    ...(model.draftAndPublish ? ['published_at'] : []),
    ...(isLocaleRead && model.kind !== 'component' ? ['locale'] : []),
  ]
}

export function tableNeeds(
  schema: Schema,
  { types, roots, readsEmptyLocale }: NeededTypes,
): Omit<TableNeeds, 'asked'> {
  const columns = new Map<string, Set<string>>()
  const add = ([table, names]: NeededColumns): void => {
    columns.set(table, new Set([...(columns.get(table) ?? []), ...names]))
  }
  const addLink = (model: Model, field: LinkField, models: ReadonlyMap<Uid, Model>): readonly Model[] => {
    const targets = linkedTypes(field).flatMap((uid) => models.get(uid) ?? [])
    if (targets.length > 0) neededByLink(model, field, targets).forEach(add)
    for (const target of targets) add([target.table, entryColumns(target, readsEmptyLocale)])
    return targets
  }
  // Rules may name private attributes, and types that no role reads.
  const whole = schema.whole().models
  const addCondition = (model: Model, condition: unknown): void => {
    for (const [name, part] of Object.entries(Object(condition) as object)) {
      const column = model.columns.get(name)
      const field = model.links.get(name)
      if (column !== undefined) add([model.table, [column.column]])
      else if (field !== undefined)
        for (const target of addLink(model, field, whole)) addCondition(target, part)
      else if (typeof part === 'object') addCondition(model, part)
    }
  }

  const readable = new Map([...types].map(([uid, { model }]) => [uid, model]))
  const reached = new Set(roots.flatMap((uid) => readable.get(uid) ?? []))
  // The set grows in the loop.
  for (const model of reached) {
    const own = [...model.columns.values()].map(({ column }) => column)
    add([model.table, [...entryColumns(model, readsEmptyLocale), ...own]])
    for (const field of model.links.values())
      for (const target of addLink(model, field, readable)) reached.add(target)
    for (const condition of types.get(model.uid)?.conditions ?? [])
      addCondition(whole.get(model.uid) ?? model, condition)
  }
  return { models: new Map([...reached].map((model) => [model.uid, model])), columns }
}

export function allNeeds(schema: Schema): TableNeeds {
  const models = [...schema.models.values()]
  const types = new Map(models.map((model) => [model.uid, { model, conditions: [] }]))
  const roots = models.filter(({ route }) => route !== null).map(({ uid }) => uid)
  return { ...tableNeeds(schema, { types, roots, readsEmptyLocale: false }), asked: [] }
}

export const neededTables = (
  schema: Schema,
  { columns }: TableNeeds,
  actual: ActualTables,
): readonly TableLayout[] =>
  strapiTables(schema, actual).flatMap((layout) => {
    const own = columns.get(layout.table)
    const needed = layout.columns.filter(({ column }) => own?.has(column))
    return own === undefined ? [] : { ...layout, columns: needed }
  })

export function wantedColumns({ asked }: TableNeeds, layouts: readonly TableLayout[]): WantedColumns {
  const wanted = new Map<string, readonly string[]>()
  const own = layouts.map(({ table, columns }) => ({ table, columns: columns.map(({ column }) => column) }))
  for (const { table, columns } of [...asked, ...own])
    wanted.set(table, [...new Set([...(wanted.get(table) ?? []), ...columns])])
  return wanted
}
