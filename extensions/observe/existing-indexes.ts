import type { Database, DialectName } from '../../lib/database'
import { once } from '../../lib/memory'
import { quoteName, rowsOf, tablesOfPostgres } from '../../lib/tables'

interface IndexKey {
  /** The column or expression with its collation. If the column has the same collation, also without it. */
  readonly names: readonly string[]
  /** Direction and place of NULLs. */
  readonly order: string
}

interface ExistingIndex {
  readonly name: string
  /** False: the index is invalid, or the database ignores it. */
  readonly isUsed: boolean
  /** Null: the index has all rows. */
  readonly predicate: string | null
  readonly keys: readonly IndexKey[]
}

/** Indexes of each table, without views. */
export type ExistingIndexes = ReadonlyMap<string, readonly ExistingIndex[]>

/** `equal`: columns compared with one value. `sorted`: an order that ends with the id. */
export interface WantedKeys {
  readonly equal: readonly string[]
  readonly range: string | null
  readonly sorted: readonly string[]
  readonly isPublished: boolean
}

interface CatalogRow {
  readonly table_name: string
  readonly index_name: string | null
  readonly column_name: string | null
  readonly expression: string | null
  readonly collation_name: string | null
  /** True if the column has the collation of the index. */
  readonly is_own: unknown
  readonly key_order: string
  readonly predicate: string | null
  /** False for indexes without an order, such as those of words. */
  readonly is_ordered: unknown
  readonly is_valid: unknown
  readonly IS_VISIBLE?: string
  readonly IGNORED?: string
}

const statements: Readonly<Record<DialectName, string>> = {
  sqlite: `select t.name as table_name, l.name as index_name, x.name as column_name, null as expression,
      lower(x.coll) as collation_name, true as is_own, case x."desc" when 1 then ' desc' else '' end as key_order,
      case l.partial when 1 then substr(s.sql, instr(lower(s.sql), ' where ') + 7) end as predicate,
      true as is_ordered, true as is_valid
    from pragma_table_list t left join pragma_index_list(t.name) l left join pragma_index_xinfo(l.name) x on x.key = 1
      left join sqlite_master s on s.type = 'index' and s.name = l.name
    where t.type = 'table' order by t.name, l.name, x.seqno`,
  // Visible indexes are named in columns that differ between MySQL and MariaDB.
  mysql: `select t.table_name as table_name, s.index_name as index_name, s.column_name as column_name,
      null as expression, null as collation_name, true as is_own, null as predicate,
      concat(if(s.collation = 'D', ' desc', ''), if(s.sub_part is null, '', ' prefix')) as key_order,
      s.index_type = 'BTREE' as is_ordered, true as is_valid, s.*
    from information_schema.tables t left join information_schema.statistics s
      on s.table_schema = t.table_schema and s.table_name = t.table_name
    where t.table_schema = database() and t.table_type = 'BASE TABLE'
    order by t.table_name, s.index_name, s.seq_in_index`,
  postgres: `select called.name as table_name, ic.relname as index_name, a.attname as column_name,
      pg_get_indexdef(i.indexrelid, k.place::int, false) as expression, o.collname as collation_name,
      o.oid = a.attcollation as is_own, (array['', ' desc nulls last', ' nulls first', ' desc'])[(k.options & 3) + 1]
        || case when oc.opcdefault then '' else ' ' || oc.opcname end as key_order,
      pg_get_expr(i.indpred, i.indrelid) as predicate, m.amname = 'btree' as is_ordered, i.indisvalid as is_valid
    from ${tablesOfPostgres} left join (pg_index i join pg_class ic on ic.oid = i.indexrelid
      join pg_am m on m.oid = ic.relam
      cross join lateral unnest(i.indkey, i.indcollation, i.indclass, i.indoption)
        with ordinality as k (number, key_collation, class, options, place)
      join pg_opclass oc on oc.oid = k.class left join pg_collation o on o.oid = k.key_collation
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) on i.indrelid = c.oid
    where called.name is not null and c.relkind in ('r', 'p', 'm') order by called.name, ic.relname, k.place`,
}

function keyOf(database: Database, row: CatalogRow): IndexKey {
  const { column_name: column, expression, collation_name: collation, key_order: order } = row
  const [, number] = /^\(\("?(.+?)"?\)::numeric\)$/.exec(expression ?? '') ?? []
  const cast = number === undefined ? (expression ?? '') : `(cast(${quoteName(database, number)} as numeric))`
  const name = column === null ? cast : quoteName(database, column)
  if (collation === null) return { names: [name], order }
  const collated = `${name} collate ${database.dialect === 'sqlite' ? collation : `"${collation}"`}`
  return { names: Boolean(row.is_own) ? [collated, name] : [collated], order }
}

export async function readExistingIndexes(
  database: Database,
  schemas: readonly string[],
): Promise<ExistingIndexes> {
  const tables = new Map<string, Map<string, ExistingIndex & { readonly keys: IndexKey[] }>>()
  for (const row of await rowsOf<CatalogRow>(database, statements[database.dialect], schemas)) {
    const indexes = once(
      tables,
      row.table_name,
      () => new Map<string, ExistingIndex & { keys: IndexKey[] }>(),
    )
    if (row.index_name === null) continue
    const { index_name: name, predicate } = row
    const isUsed = Boolean(row.is_valid) && row.IS_VISIBLE !== 'NO' && row.IGNORED !== 'YES'
    const index = once(indexes, name, () => ({ name, isUsed, predicate, keys: [] }))
    if (Boolean(row.is_ordered)) index.keys.push(keyOf(database, row))
  }
  return new Map([...tables].map(([table, indexes]) => [table, [...indexes.values()]]))
}

const reversed: Readonly<Record<string, string>> = {
  '': ' desc',
  ' desc': '',
  ' nulls first': ' desc nulls last',
  ' desc nulls last': ' nulls first',
}

function hasPublishedRows({ predicate }: ExistingIndex, isPublished: boolean): boolean {
  if (predicate === null) return true
  return isPublished && /^\W*published_at\W+is not null\W*$/i.test(predicate)
}

/** True if a query can read the wanted rows, in their order, by the index. */
export function isServedBy(dialect: DialectName, wanted: WantedKeys, index: ExistingIndex): boolean {
  const { equal, range, sorted } = wanted
  if (!hasPublishedRows(index, wanted.isPublished)) return false
  // Indexes of SQLite and InnoDB end with the id.
  const [id = ''] = sorted.slice(-1)
  const implied = { names: [id.replace(/ desc$/, '')], order: '' }
  const keys = dialect === 'postgres' ? index.keys : [...index.keys, implied]
  const isOn = (key: IndexKey | undefined, part: string): boolean =>
    key?.names.includes(part.replace(/\(\d+\)$/, '')) === true
  const hasEqual = equal.every((part) => keys.slice(0, equal.length).some((key) => isOn(key, part)))
  const behind = keys.slice(equal.length)
  if (range !== null) return hasEqual && isOn(behind[0], range)
  if (sorted.length === 0) return hasEqual || isOn(keys[0], equal[0] ?? '')
  const isInOrder = (parts: readonly string[], isBackwards: boolean): boolean =>
    parts.every((part, at) => {
      const { names, order } = behind[at] ?? { names: [], order: '' }
      const read = isBackwards ? reversed[order] : order
      return read !== undefined && names.some((name) => name + read === part)
    })
  // MySQL and MariaDB sort all rows again if only the ids of equal values have another order.
  const needed = dialect === 'mysql' ? sorted : sorted.slice(0, -1)
  return hasEqual && (isInOrder(needed, false) || isInOrder(sorted, true))
}
