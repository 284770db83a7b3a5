import type { AskRows } from './ask-rows'

/** Whose writes are counted for the content's tables. */
export interface CountedTables {
  readonly names: readonly string[]
  /** The names of a table in lower case, and of those whose rows take its own along as they go or change. */
  readonly with: ReadonlyMap<string, ReadonlySet<string>>
  /** Follow tables of another database. */
  readonly uncounted: readonly string[]
}

const tables = `select table_name from information_schema.tables
  where table_schema = database() and table_type = 'BASE TABLE'`

/** Servers whose storage changes the rows that follow count them with the row that is followed. */
const followed = `select table_name, if(unique_constraint_schema = database(), referenced_table_name, '')
  from information_schema.referential_constraints
  where constraint_schema = database()
    and (delete_rule not in ('NO ACTION', 'RESTRICT') or update_rule not in ('NO ACTION', 'RESTRICT'))`

/** Written in a statement, its text could be read in two ways. */
const isPlain = (name: string): boolean => !name.includes('\\')

function reachable(from: string, followedBy: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set([from])
  for (const name of reached) for (const next of followedBy.get(name) ?? []) reached.add(next)
  return reached
}

export async function readCountedTables(
  ask: AskRows,
  isRead: (table: string) => boolean,
): Promise<CountedTables> {
  const names = (await ask(tables)).map(([name]) => String(name))
  const known = new Set(names.filter(isPlain).map((name) => name.toLowerCase()))
  const followedBy = new Map<string, string[]>()
  for (const [table, other] of await ask(followed)) {
    const name = String(table).toLowerCase()
    followedBy.set(name, [...(followedBy.get(name) ?? []), String(other).toLowerCase()])
  }
  const read = names.filter(isRead).map((name) => name.toLowerCase())
  const withOthers = new Map(read.map((name) => [name, reachable(name, followedBy)]))
  const wanted = new Set([...withOthers.values()].flatMap((reached) => [...reached]))
  return {
    names: names.filter((name) => wanted.has(name.toLowerCase())),
    with: withOthers,
    uncounted: read.filter((name) => ![...(withOthers.get(name) ?? [])].every((one) => known.has(one))),
  }
}
