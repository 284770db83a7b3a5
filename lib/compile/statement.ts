import type { BoundAsker } from '../access'
import { OfAsker, type Notation, type Sql, write } from './sql'
import { type Dialect, idsToCome } from './dialect'

/** SQL text in the database's own form, compiled once; what stands for ids among the bindings is filled in for every run. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
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

export function compile(
  { notation }: { readonly notation: Notation },
  made: Sql,
  shows: readonly Positions[] = [],
): Statement {
  const { text: sql, bindings } = write(made, notation)
  const isPersonal = bindings.some((binding) => binding instanceof OfAsker)
  return { sql, bindings, isPersonal, shows: notation.keepsNames ? shows : [] }
}

/** For whom a statement is run, and what it is about. */
export interface StatementRun {
  readonly asker: BoundAsker
  readonly ids: readonly unknown[] | undefined
}

export function bindingsOf(
  { bindings, isPersonal }: Statement,
  dialect: Dialect,
  { asker, ids }: StatementRun,
): readonly unknown[] {
  if (ids === undefined && !isPersonal) return bindings
  const bound = ids === undefined ? undefined : dialect.ids.bind(ids)
  return bindings.map((binding) => {
    if (binding === idsToCome) return bound
    return binding instanceof OfAsker ? binding.bind(asker.valueOf(binding.operand)) : binding
  })
}
