import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { type Dialect, idsToCome, type Row, type Sql } from './dialect'

/** SQL text in the database's own form, compiled once; what stands for ids among the bindings is filled in for every run. */
export interface Statement {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** The same for the same text: connections may be shared with others who name statements. */
  readonly name: string
  /** Run before it, for the ids that they find. */
  readonly before: readonly Statement[]
}

/** Stands in the bindings of a statement for the ids that another one finds. */
class Found {
  constructor(readonly statement: Statement) {}
}

export const foundBy = (statement: Statement): Knex.Value => new Found(statement) as unknown as Knex.Value

export function compile(made: Sql): Statement {
  const { sql, bindings } = made.toSQL().toNative()
  const before = bindings.flatMap((binding: unknown) => (binding instanceof Found ? [binding.statement] : []))
  return { sql, bindings, name: `content_router_${createHash('sha1').update(sql).digest('hex')}`, before }
}

/** The bindings of one run: with the ids that it is about, and the rows of the statements before it. */
export function fill(
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
    if (!(binding instanceof Found)) return binding
    next += 1
    return dialect.bindIds((found[next - 1] ?? []).flatMap(([id]) => (id === null ? [] : [id])))
  })
}
