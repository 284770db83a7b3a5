import type { Statement } from '../compile'
import { type Basis, type BasisRows, onTables } from '../freshness'
import { once } from '../memory'
import type { Run } from './expand'
import type { LevelRows } from './level-rows'

/**
 * Tables stand nowhere else: not in lists, and names in the definitions are quoted. What else `from` stands before is told by
 * the word in front of it; any other name would be taken for that of a table, of which nobody tells.
 */
const sources =
  /(?<!\b(?:epoch|distinct)\s)\b(?:from|(?:straight_)?join)\s+(?:"((?:[^"]|"")*)"|`((?:[^`]|``)*)`)/gi

const nameOf = ([, standard, mysql = '']: RegExpExecArray): string =>
  standard?.replaceAll('""', '"') ?? mysql.replaceAll('``', '`')

const namesIn = (sql: string): readonly string[] => [...sql.matchAll(sources)].map(nameOf)

/** What a statement reads from, by its text: no values are in that. */
export const tablesIn = (sql: string): ReadonlySet<string> => new Set(namesIn(sql))

const knownTables = new WeakMap<object, ReadonlySet<string>>()

/** The same of several, each of which is looked through once. */
function tablesInAll(statements: Iterable<Statement>): ReadonlySet<string> {
  const tables = new Set<string>()
  for (const statement of statements)
    for (const table of once(knownTables, statement, () => tablesIn(statement.sql))) tables.add(table)
  return tables
}

/** Whether no more than one of several statements, and that no more than once, looks into a table. */
const isNamedOnce = (statements: Iterable<Statement>, table: string): boolean =>
  [...statements].flatMap(({ sql }) => namesIn(sql)).filter((name) => name === table).length <= 1

/** Names are quoted, and what is quoted within a text is none. */
const quoted = /'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g

function namesThatDecide({ sql, shows }: Statement): ReadonlySet<string> {
  const left = new Map<string, number>()
  for (const name of shows.flatMap((columns) => [...columns.keys()]))
    left.set(name, (left.get(name) ?? 0) + 1)
  const deciding = new Set<string>()
  for (const [, standard, mysql] of sql.matchAll(quoted)) {
    const name = standard?.replaceAll('""', '"') ?? mysql?.replaceAll('``', '`')
    if (name === undefined) continue
    const shown = left.get(name) ?? 0
    if (shown > 0) left.set(name, shown - 1)
    else deciding.add(name)
  }
  return deciding
}

const knownColumns = new WeakMap<object, ReadonlySet<string>>()

/**
 * The columns on which it hangs which rows a statement reads: all that it names but for showing them, in whatever table, and
 * other names among them.
 */
const decidedBy = (statement: Statement): ReadonlySet<string> =>
  once(knownColumns, statement, () => namesThatDecide(statement))

/** The basis of rows that these statements read. `ids`: of all rows that are shown, by table; null where they are too many. */
export function basisOf(statements: Iterable<Statement>, ids: BasisRows['ids'] | null): Basis {
  const all = [...statements]
  const tables = tablesInAll(all)
  return ids === null ? onTables(tables) : { tables, rows: { ids, decidedBy: all.map(decidedBy) } }
}

/** More are not looked for one by one each time that somebody asks. */
const mostIds = 1000

function* levelsBelow(rows: LevelRows): Generator<LevelRows> {
  for (const lists of rows.children) {
    const below = new Set(lists.flatMap((list) => list?.map((child) => child.in) ?? []))
    for (const child of below) if (child !== null) yield child
  }
}

/** The ids of all rows that an answer shows, by table; null where they are too many. */
function idsRead(root: LevelRows): BasisRows['ids'] | null {
  const ids = new Map<string, number[]>()
  const seen = new Set([root])
  let count = 0
  for (const level of seen) {
    count += level.rows.length
    if (count > mostIds) return null
    const { table } = level.of.level.model
    ids.set(table, [...(ids.get(table) ?? []), ...level.rows.map((row) => Number(row?.[0]))])
    for (const below of levelsBelow(level)) seen.add(below)
  }
  return ids
}

/** What an answer was read from, as the statements say that it was read by. */
export interface ReadFrom {
  readonly tables: () => ReadonlySet<string>
  /** Whether no other row of a table was looked at than those that one statement asked for. */
  readonly isNamedOnce: (table: string) => boolean
  readonly basis: () => Basis
}

/** Which statements an answer was read by. */
export interface Noting {
  /** Runs a statement and remembers it. */
  readonly run: Run
  readonly from: (rows: LevelRows) => ReadFrom
}

/** `others`: what it rests on without being run for it, as a total that is known. */
export function noting(run: Run, others: readonly Statement[]): Noting {
  const statements = new Set(others)
  return {
    run: (statement, ids) => {
      statements.add(statement)
      return run(statement, ids)
    },
    from: (rows) => ({
      tables: () => tablesInAll(statements),
      isNamedOnce: (table) => isNamedOnce(statements, table),
      basis: () => basisOf(statements, idsRead(rows)),
    }),
  }
}
