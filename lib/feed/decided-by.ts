import { once } from '../memory'

/** What is told of a statement to know what it hangs on. */
export interface TellingStatement {
  readonly sql: string
  /** The columns that it reads of rows which are known by their ids, each of which stands for that once in its text. */
  readonly shows: readonly ReadonlyMap<string, unknown>[]
}

/** Names are quoted, and what is quoted within a text is none. */
const quoted = /'(?:[^']|'')*'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`/g

function namesThatDecide({ sql, shows }: TellingStatement): ReadonlySet<string> {
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

const known = new WeakMap<object, ReadonlySet<string>>()

/**
 * The columns on which it hangs which rows a statement reads: all that it names but for showing them, in whatever table, and
 * other names among them.
 */
export const decidedBy = (statement: TellingStatement): ReadonlySet<string> =>
  once(known, statement, () => namesThatDecide(statement))
