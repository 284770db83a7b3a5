import type { Index, Model, Schema } from '../schema'
import { lookupsOf, linkReadsOf, type LinkColumns } from './reads-of'
import { shortName } from './short-name'

/** Strapi names no index so. */
const indexName = (table: string, suffix: string): string => shortName('cr', table, suffix)

const unique = (columns: readonly string[]): readonly string[] => [...new Set(columns)]

/**
 * One index serves all reads of a table by one key: the columns fixed by every one of them narrow it down, the others
 * stand behind them, so that the table itself is not read.
 */
function serve(reads: readonly [LinkColumns, ...LinkColumns[]]): Index {
  const [{ table, key, fixed }] = reads
  const always = fixed.filter((column) => reads.every((read) => read.fixed.includes(column)))
  const orders = reads.flatMap(({ order }) => order ?? [])
  const rest = reads.flatMap((read) => [...read.taken, ...read.fixed])
  return { name: indexName(table, key), columns: unique([key, ...always, ...orders, ...rest]), unique: false }
}

export interface TableIndex {
  readonly table: string
  readonly index: Index
}

function byTableAndKey(reads: readonly LinkColumns[]): readonly (readonly [LinkColumns, ...LinkColumns[]])[] {
  const groups = new Map<string, [LinkColumns, ...LinkColumns[]]>()
  for (const read of reads) {
    const name = JSON.stringify([read.table, read.key])
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [read])
    else group.push(read)
  }
  return [...groups.values()]
}

function linkIndexes(schema: Schema): readonly TableIndex[] {
  const reads = [...schema.models.values()].flatMap((model) => linkReadsOf(schema, model))
  return byTableAndKey(reads).map((group) => ({ table: group[0].table, index: serve(group) }))
}

/**
 * A list reads a locale's rows, or all, in the order of their ids, and keeps those that are published: pages and
 * counts find all three in the index.
 */
function listIndex(model: Model): readonly TableIndex[] {
  if (model.route === null || !(model.localized || model.draftAndPublish)) return []
  const columns = model.localized ? ['locale', 'id', 'published_at'] : ['id', 'published_at']
  return [{ table: model.table, index: { name: indexName(model.table, 'list'), columns, unique: false } }]
}

/** A page of a site asks for the entry with its slug; Strapi keeps no index on it, unique or not. */
function lookupIndexes(model: Model): readonly TableIndex[] {
  const { table } = model
  return lookupsOf(model).map((column) => ({
    table,
    index: { name: indexName(table, column), columns: [column], unique: false },
  }))
}

/** What reading gains by, beyond the indexes Strapi makes. docs/tables.md says why each. */
export function readIndexes(schema: Schema): readonly TableIndex[] {
  const models = [...schema.models.values()]
  return [...linkIndexes(schema), ...models.flatMap(listIndex), ...models.flatMap(lookupIndexes)]
}
