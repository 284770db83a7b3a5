import type { Condition, Step } from '../plan'
import type { Model } from '../schema'
import { column, isFixed, type SqlScope } from './sql-scope'
import { all, type Sql, sql } from './sql'

export type SomeLinked = Extract<Condition<never>, { op: 'some' }>

/** Whether a link of a chain has a table between: what stands behind it is a set of ids, independent of what leads there. */
export const hasTable = ({ field: { link } }: Step): boolean => link.via === 'between'

export interface FarParts {
  /** What the link leads to, as far as it meets the condition. */
  readonly met: (to: string) => Sql
  readonly holds: (key: string, set: Sql) => Sql
}

/**
 * A link of a long chain: the ids at its end that meet the condition are found first, once, and only then the links to
 * these are looked for. In a join of the two each link would look up the whole entry it leads to, and all that is found
 * would be collected as often as links lead there.
 */
export function foundFar(
  scope: SqlScope,
  alias: string,
  { step }: SomeLinked,
  { met, holds }: FarParts,
): Sql {
  const { link } = step.field
  if (link.via !== 'between') throw new Error('the link has no table of its own')
  const { dialect } = scope
  const [via, to] = [scope.alias(), scope.alias()]
  const target: Model = step.target
  const set = sql('select ?? as ?? from ?? as ?? where ?', [
    column(to, 'id'),
    'found',
    target.table,
    to,
    met(to),
  ])
  // The index to be used is that of our key.
  const fixed = link.fixed.map((one) => isFixed(dialect.unindexed(column(via, one.column)), one))
  return dialect.leadsFar({
    table: link.table,
    via,
    by: column(via, link.ours),
    from: column(alias, 'id'),
    conditions: all([...fixed, holds(column(via, link.theirs), set)]),
  })
}
