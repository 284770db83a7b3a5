import { type Dialect, idsToCome, type Row } from './dialect'
import { type Notation, type Sql, write } from './sql'

/** SQL text in the database's own form, compiled once; what stands for ids among the bindings is filled in for every run. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Run before it, for the ids that they find. */
  readonly before: readonly Statement[]
}

/** Stands in the bindings of a statement for the ids that another one finds. */
class FoundIds {
  constructor(readonly statement: Statement) {}
}

export const foundBy = (statement: Statement): unknown => new FoundIds(statement)

export function compile({ notation }: { readonly notation: Notation }, made: Sql): Statement {
  const { text: sql, bindings } = write(made, notation)
  const before = bindings.flatMap((binding) => (binding instanceof FoundIds ? [binding.statement] : []))
  return { sql, bindings, before }
}

/** The bindings of one run: with the ids that it is about, and the rows of the statements before it. */
export function bindingsOf(
  { bindings, before }: Statement,
  dialect: Dialect,
  ids: readonly unknown[] | undefined,
  found: readonly (readonly Row[])[],
): readonly unknown[] {
  if (ids === undefined && before.length === 0) return bindings
  const bound = ids === undefined ? undefined : dialect.bindIds(ids)
  let next = 0
  return bindings.map((binding) => {
    if (binding === idsToCome) return bound
    if (!(binding instanceof FoundIds)) return binding
    next += 1
    return dialect.bindIds((found[next - 1] ?? []).flatMap(([id]) => (id === null ? [] : [id])))
  })
}
