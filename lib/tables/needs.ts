import { type LinkField, linkedTypes, type Model, type Schema, type Uid } from '../schema'
import type { AskedTable } from './asked-table'
import { strapiTables } from './content-tables'
import type { WantedColumns } from './denied-tables'
import type { ActualTables } from './read-tables'
import type { TableLayout } from './table-layout'

/** A type as far as requests may read it, with the conditions of the rules on it. */
export interface NeededType {
  readonly model: Model
  readonly conditions: readonly unknown[]
}

export interface NeededTypes {
  /** The types that requests may read. */
  readonly types: ReadonlyMap<Uid, NeededType>
  /** The types that have routes. The others are reached through links. */
  readonly roots: readonly Uid[]
  /** Strapi shows the empty locale of types that are not localized. */
  readonly readsEmptyLocale: boolean
}

/** The tables and columns that requests can read. */
export interface TableNeeds {
  /** The types that requests reach. */
  readonly models: ReadonlyMap<Uid, Model>
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  readonly asked: readonly AskedTable[]
}

type NeededColumns = readonly [table: string, columns: readonly string[]]

function linkColumns(model: Model, { link }: LinkField, targets: readonly Model[]): readonly NeededColumns[] {
  const fixed = link.via === 'here' ? [] : link.fixed.map(({ column }) => column)
  switch (link.via) {
    case 'here':
      return [[model.table, [link.key, link.type]]]
    case 'there':
      return targets.map(({ table }) => [table, [link.theirs, ...fixed]])
    case 'between':
      return [[link.table, [link.ours, link.theirs, ...fixed, ...(link.order === null ? [] : [link.order])]]]
    case 'mixed': {
      const field = link.told === undefined ? [] : ['field']
      return [[link.table, [link.ours, link.theirs, link.type, link.order, ...fixed, ...field]]]
    }
  }
}

function entryColumns(model: Model, readsEmptyLocale: boolean): readonly string[] {
  const isLocaleRead = model.localized || (readsEmptyLocale && !model.hidesLocale)
  return [
    ...['id', 'document_id'],
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
    if (targets.length > 0) linkColumns(model, field, targets).forEach(add)
    for (const target of targets) add([target.table, entryColumns(target, readsEmptyLocale)])
    return targets
  }
  // Rules may name private attributes, of types that no role can read.
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
  // Grows while it is walked.
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

/** Requests with the right to read everything that has a route, and what it leads to. */
export function allNeeds(schema: Schema): TableNeeds {
  const models = [...schema.models.values()]
  const types = new Map(models.map((model) => [model.uid, { model, conditions: [] }]))
  const roots = models.filter(({ route }) => route !== null).map(({ uid }) => uid)
  return { ...tableNeeds(schema, { types, roots, readsEmptyLocale: false }), asked: [] }
}

/** The layouts of the needed tables, with the needed columns. */
export const neededTables = (
  schema: Schema,
  { columns }: TableNeeds,
  actual: ActualTables,
): readonly TableLayout[] =>
  strapiTables(schema, actual).flatMap((layout) => {
    const own = columns.get(layout.table)
    return own === undefined
      ? []
      : [{ ...layout, columns: layout.columns.filter(({ column }) => own.has(column)) }]
  })

/** The needed columns by table, with those that tell who may read what. */
export function wantedColumns({ asked }: TableNeeds, layouts: readonly TableLayout[]): WantedColumns {
  const wanted = new Map<string, readonly string[]>()
  const own = layouts.map(({ table, columns }) => ({ table, columns: columns.map(({ column }) => column) }))
  for (const { table, columns } of [...asked, ...own])
    wanted.set(table, [...new Set([...(wanted.get(table) ?? []), ...columns])])
  return wanted
}
