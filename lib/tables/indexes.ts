import { createHash } from 'node:crypto'
import { once } from '../memory'
import type { Index, LinkField, Model, Schema } from '../schema'

interface TableIndex {
  readonly table: string
  readonly index: Index
}

/** Indexes that Strapi does not make. docs/contributing/indexes.md has the reasons. */
export function readIndexes(schema: Schema): readonly TableIndex[] {
  const models = [...schema.models.values()]
  return [
    ...linkIndexes(schema),
    ...models.flatMap(listIndex),
    // Strapi makes no index on slugs.
    ...models.flatMap((model) => lookupsOf(model).map((column) => indexOn(model, column, [column]))),
  ]
}

/** Columns of a link's table by use: lookup, fixed value, order, result. */
interface LinkColumns {
  readonly table: string
  readonly key: string
  readonly fixed: readonly string[]
  readonly order: string | null
  readonly taken: readonly string[]
  readonly join: boolean
}

/** `tables`: those of the targets. */
export function linkColumnsOf({ link, role }: LinkField, tables: readonly string[]): readonly LinkColumns[] {
  switch (link.via) {
    case 'here':
      return []
    case 'there': {
      const fixed = link.fixed.map(({ column }) => column)
      return tables.map((table) => ({ table, key: link.theirs, fixed, order: null, taken: [], join: false }))
    }
    case 'between':
    case 'mixed': {
      // The field determines a component's type, not a zone's. One index serves both.
      const spread = role === 'component' ? ['component_type'] : []
      const fixed = link.fixed.map(({ column }) => column).filter((column) => !spread.includes(column))
      const field = link.via === 'mixed' && link.writtenBy !== undefined ? ['field'] : []
      const taken = link.via === 'mixed' ? [link.theirs, link.type, ...field] : [link.theirs, ...spread]
      return [{ table: link.table, key: link.ours, fixed, order: link.order, taken, join: true }]
    }
  }
}

export const linkReadsOf = ({ models }: Schema): readonly LinkColumns[] =>
  [...models.values()].flatMap(({ links }) =>
    [...links.values()].flatMap((field) => {
      const tables = field.targets.flatMap((uid) => models.get(uid)?.table ?? [])
      return linkColumnsOf(field, tables)
    }),
  )

export function lookupsOf({ kind, route, columns }: Model): readonly string[] {
  if (kind !== 'collectionType' || route === null) return []
  return [...columns.values()].filter(({ identifies }) => identifies).map(({ column }) => column)
}

/** Strapi's own limit, below those of the databases. */
const longest = 55

/** Strapi has no such prefix. A hash keeps long names unique. */
export function indexName(table: string, suffix: string): string {
  const name = `cr_${table}_${suffix}`
  if (name.length <= longest) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6)
  return `${name.slice(0, longest - hash.length - 1)}_${hash}`
}

/** One index serves all reads by a key: columns that all reads fix come first, the others make it covering. */
function serve(reads: readonly LinkColumns[]): readonly TableIndex[] {
  const [first] = reads
  if (first === undefined) return []
  const { table, key, fixed } = first
  const always = fixed.filter((column) => reads.every((read) => read.fixed.includes(column)))
  const orders = reads.flatMap(({ order }) => order ?? [])
  const rest = reads.flatMap((read) => [...read.taken, ...read.fixed])
  const columns = [...new Set([key, ...always, ...orders, ...rest])]
  return [{ table, index: { name: indexName(table, key), columns, unique: false } }]
}

function linkIndexes(schema: Schema): readonly TableIndex[] {
  const groups = new Map<string, LinkColumns[]>()
  for (const read of linkReadsOf(schema))
    once(groups, JSON.stringify([read.table, read.key]), () => []).push(read)
  return [...groups.values()].flatMap(serve)
}

const indexOn = ({ table }: Model, last: string, columns: readonly string[]): TableIndex => ({
  table,
  index: { name: indexName(table, last), columns, unique: false },
})

/** Lists read by locale and id, and pages and counts by publication. */
function listIndex(model: Model): readonly TableIndex[] {
  if (model.route === null || !(model.localized || model.draftAndPublish)) return []
  const columns = model.localized ? ['locale', 'id', 'published_at'] : ['id', 'published_at']
  return [indexOn(model, 'list', columns)]
}
