import type { Statement } from '../sql'
import { type Basis, type BasisRows, onTables } from '../freshness'
import { once } from '../memory'
import type { LevelRows, Run } from './expand'

/** Table names follow `from` or `join`, in quotes. `from` has other uses behind `epoch` and `distinct`. */
const sources =
  /(?<!\b(?:epoch|distinct)\s)\b(?:from|(?:straight_)?join)\s+(?:"(?:[^"]|"")*"\.)?(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`)/gi

const nameOf = ([, standard, mysql]: RegExpExecArray): string | undefined =>
  standard?.replaceAll('""', '"') ?? mysql?.replaceAll('``', '`')

const namesIn = (sql: string): readonly string[] =>
  [...sql.matchAll(sources)].flatMap((found) => nameOf(found) ?? [])

export const tablesIn = (sql: string): ReadonlySet<string> => new Set(namesIn(sql))

const knownTables = new WeakMap<object, ReadonlySet<string>>()

function tablesInAll(statements: Iterable<Statement>): ReadonlySet<string> {
  const tables = new Set<string>()
  for (const statement of statements)
    for (const table of once(knownTables, statement, () => tablesIn(statement.sql))) tables.add(table)
  return tables
}

/** Names in quotes. Texts come first, because they may contain quotes. */
const quoted = /'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g

function namesThatDecide({ sql, shows }: Statement): ReadonlySet<string> {
  const left = new Map<string, number>()
  for (const name of shows.flatMap((columns) => [...columns.keys()]))
    left.set(name, (left.get(name) ?? 0) + 1)
  const deciding = new Set<string>()
  for (const found of sql.matchAll(quoted)) {
    const name = nameOf(found)
    if (name === undefined) continue
    const shown = left.get(name) ?? 0
    if (shown > 0) left.set(name, shown - 1)
    else deciding.add(name)
  }
  return deciding
}

const knownColumns = new WeakMap<object, ReadonlySet<string>>()

/** The basis of rows that these statements read. `ids`: of all shown rows, by table; null if they are too many. */
export function basisOf(statements: Iterable<Statement>, ids: BasisRows['ids'] | null): Basis {
  const all = [...statements]
  const tables = tablesInAll(all)
  if (ids === null) return onTables(tables)
  const decidedBy = all.map((statement) => once(knownColumns, statement, () => namesThatDecide(statement)))
  return { tables, rows: { ids, decidedBy } }
}

function idsRead(root: LevelRows | null): BasisRows['ids'] | null {
  if (root === null) return null
  const ids = new Map<string, number[]>()
  const seen = new Set([root])
  let count = 0
  for (const level of seen) {
    count += level.rows.length
    // Each change of a table is compared with all ids, at every request.
    if (count > 1000) return null
    const { table, key } = level.of.level.model
    // Logs of changes know rows by their column id.
    if (key.type !== 'integer' || key.column !== 'id') return null
    ids.set(table, [...(ids.get(table) ?? []), ...level.rows.map((row) => Number(row?.[0]))])
    for (const lists of level.children)
      for (const list of lists) for (const child of list ?? []) if (child.in !== null) seen.add(child.in)
  }
  return ids
}

export interface ReadFrom {
  readonly tables: () => ReadonlySet<string>
  /** True if the statements name the table once at most, so that no other of its rows were read. */
  readonly isNamedOnce: (table: string) => boolean
  readonly basis: () => Basis
}

/** Records the statements of a response. `others`: those that need not run, such as that of a known total. */
export function recordSources(
  run: Run,
  others: readonly Statement[],
): { readonly run: Run; readonly from: (rows: LevelRows | null) => ReadFrom } {
  const statements = new Set(others)
  return {
    run: (statement, ids) => {
      statements.add(statement)
      return run(statement, ids)
    },
    from: (rows) => ({
      tables: () => tablesInAll(statements),
      isNamedOnce: (table) =>
        [...statements].flatMap(({ sql }) => namesIn(sql)).filter((name) => name === table).length <= 1,
      basis: () => basisOf(statements, idsRead(rows)),
    }),
  }
}
