import { type LinkField, linkedTypes, type Model, type Schema, type Uid } from '../schema'
import { type Database, isDenied, isDrift } from '../database'
import type { Fault } from '../errors'
import { once } from '../memory'
import type { AskedTable } from '../config'
import { strapiTables } from './content-tables'
import { type ActualTables, type ColumnRow, rowsOf } from './read-tables'
import { tableDialectOf, type TableLayout } from './table-dialect'

type WantedColumns = ReadonlyMap<string, readonly string[]>

type Denied = ReadonlyMap<string, ReadonlySet<string>>

async function listedAsDenied(database: Database, statement: string): Promise<Denied> {
  const denied = new Map<string, Set<string>>()
  for (const { table_name, column_name } of await rowsOf<ColumnRow>(database, statement)) {
    once(denied, table_name, () => new Set<string>()).add(column_name)
  }
  return denied
}

/** Some databases list no denied tables. A read distinguishes them from missing ones. */
async function isDeniedThere(
  { knex }: Database,
  table: string,
  columns: readonly string[],
): Promise<boolean> {
  try {
    await knex
      .select(columns.length === 0 ? knex.raw('1') : [...columns])
      .from(table)
      .limit(0)
    return false
  } catch (error) {
    if (isDenied(error)) return true
    if (isDrift(error)) return false
    throw error
  }
}

async function deniedAmongMissing(
  database: Database,
  wanted: WantedColumns,
  actual: ActualTables,
): Promise<Denied> {
  const denied = new Map<string, ReadonlySet<string>>()
  for (const [table, columns] of wanted) {
    const found = actual.get(table)?.columns
    const missing = columns.filter((column) => found?.has(column) !== true)
    if (missing.length === 0) continue
    if (await isDeniedThere(database, table, found === undefined ? [] : missing))
      denied.set(table, new Set(missing))
  }
  return denied
}

async function deniedIn(database: Database, wanted: WantedColumns, actual: ActualTables): Promise<Denied> {
  const { deniedColumns, hidesDenied } = tableDialectOf(database)
  if (hidesDenied) return deniedAmongMissing(database, wanted, actual)
  return deniedColumns === null ? new Map() : listedAsDenied(database, deniedColumns)
}

/** Missing rights, which are no differences. */
export async function deniedTables(
  database: Database,
  wanted: WantedColumns,
  actual: ActualTables,
): Promise<ReadonlyMap<string, Fault>> {
  const denied = await deniedIn(database, wanted, actual)
  const faults = [...wanted].flatMap(([table, columns]): [string, Fault][] => {
    const own = columns.filter((column) => denied.get(table)?.has(column) === true)
    if (own.length === 0) return []
    const what = own.length === columns.length ? 'this table' : `${own.join(', ')} of this table`
    const remedy = `grant select on ${table} to that user`
    return [[table, { where: table, problem: `the user of the connection may not read ${what}`, remedy }]]
  })
  return new Map(faults)
}

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
    return own === undefined
      ? []
      : [{ ...layout, columns: layout.columns.filter(({ column }) => own.has(column)) }]
  })

export function wantedColumns({ asked }: TableNeeds, layouts: readonly TableLayout[]): WantedColumns {
  const wanted = new Map<string, readonly string[]>()
  const own = layouts.map(({ table, columns }) => ({ table, columns: columns.map(({ column }) => column) }))
  for (const { table, columns } of [...asked, ...own])
    wanted.set(table, [...new Set([...(wanted.get(table) ?? []), ...columns])])
  return wanted
}
