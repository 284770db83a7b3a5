import type { BoundAsker } from '../access'
import { OfAsker } from './of-asker'
import { type Dialect, idsToCome, type Row } from './dialect'
import { type Notation, type Sql, sql, write } from './sql'

/** SQL text in the database's own form, compiled once; what stands for ids among the bindings is filled in for every run. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Run before it, for the ids that they find. */
  readonly before: readonly Statement[]
  /** Whether it compares with values of whoever asks. */
  readonly isPersonal: boolean
  /**
   * The columns that it reads of rows which it tells the ids of, each of which stands for that once in its text; none where
   * what it reads is no such rows.
   */
  readonly shows: readonly Positions[]
}

/** Where in a row the value of each physical column stands. The id is always first. */
export type Positions = ReadonlyMap<string, number>

/** Stands in the bindings of a statement for the ids that another one finds. */
class FoundIds {
  constructor(readonly statement: Statement) {}
}

export function compile(
  { notation }: { readonly notation: Notation },
  made: Sql,
  shows: readonly Positions[] = [],
): Statement {
  const { text: sql, bindings } = write(made, notation)
  const isPersonal = bindings.some((binding) => binding instanceof OfAsker)
  const before = bindings.flatMap((binding) => (binding instanceof FoundIds ? [binding.statement] : []))
  return { sql, bindings, before, isPersonal, shows: notation.keepsNames ? shows : [] }
}

/**
 * Of ids that one statement hands on to another, the next of which is refused: they are kept meanwhile, and MySQL and MariaDB
 * take them as part of a text that must not be too long.
 */
export const mostHandedOn = 250_000

/** The ids that a set is made of, each once, found before the statement in which this is said of a key. */
export const foundBy = (scope: { readonly notation: Notation }, set: Sql): unknown =>
  new FoundIds(
    compile(
      scope,
      sql(`select distinct ?? from (?) as ?? limit ${String(mostHandedOn + 1)}`, ['found', set, 'inner_set']),
    ),
  )

/** For whom a statement is run, and what it is about. */
export interface StatementRun {
  readonly asker: BoundAsker
  readonly ids: readonly unknown[] | undefined
  /** The rows of the statements before it. */
  readonly found: readonly (readonly Row[])[]
}

export function bindingsOf(
  { bindings, before, isPersonal }: Statement,
  dialect: Dialect,
  { asker, ids, found }: StatementRun,
): readonly unknown[] {
  if (ids === undefined && before.length === 0 && !isPersonal) return bindings
  const bound = ids === undefined ? undefined : dialect.bindIds(ids)
  let next = 0
  return bindings.map((binding) => {
    if (binding === idsToCome) return bound
    if (binding instanceof OfAsker) return binding.bind(asker.valueOf(binding.operand))
    if (!(binding instanceof FoundIds)) return binding
    next += 1
    return dialect.bindIds((found[next - 1] ?? []).flatMap(([id]) => (id === null ? [] : [id])))
  })
}
