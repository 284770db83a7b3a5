import { once } from '../memory'

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

const known = new WeakMap<object, ReadonlySet<string>>()

/** The same of several, each of which is looked through once. */
export function tablesInAll(statements: Iterable<{ readonly sql: string }>): ReadonlySet<string> {
  const tables = new Set<string>()
  for (const statement of statements)
    for (const table of once(known, statement, () => tablesIn(statement.sql))) tables.add(table)
  return tables
}

/** Whether no more than one of several statements, and that no more than once, looks into a table. */
export const isNamedOnce = (statements: Iterable<{ readonly sql: string }>, table: string): boolean =>
  [...statements].flatMap(({ sql }) => namesIn(sql)).filter((name) => name === table).length <= 1
