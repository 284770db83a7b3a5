import type { Condition, LinkedEntries, LinkedWay } from '../plan'
import type { Model } from '../schema'
import { compare, subjectOfCount } from './compare'
import { linkedOwners } from './linked-owners'
import type { NamedRows, SqlScope } from './sql-scope'
import { all, allOf, anyOf, joined, type Sql, sql } from './sql'

function numberMeets(scope: SqlScope, condition: Condition<never>): Sql {
  switch (condition.op) {
    case 'and':
      return allOf(condition.of.map((part) => numberMeets(scope, part)))
    case 'or':
      return anyOf(condition.of.map((part) => numberMeets(scope, part)))
    case 'test': {
      const met = compare(subjectOfCount(scope), condition.test)
      return condition.negated ? sql('not (?)', [met]) : met
    }
    case 'some':
    case 'ruled':
    case 'linked':
    case 'version':
    case 'not in locales':
      throw new Error('a number leads nowhere')
  }
}

/** Whether entries of a type are found whatever they are, or none of them. */
const isEmpty = (condition: Condition<never>, op: 'and' | 'or'): boolean =>
  condition.op === op && condition.of.length === 0

/** The rows whose links lead to such entries, or whose links do not. */
export type SetAsked = Pick<LinkedEntries<never>, 'ways' | 'untrue' | 'among' | 'count'>

/**
 * Ids of the rows that lead to the entries, or to so many of them. Null where none can. Entries of several types stand in
 * several tables, each of which is gone through by itself.
 */
export function linkedSet(
  scope: SqlScope,
  { ways, untrue, among, count }: SetAsked,
  owner: Model,
  /** What a linked row has to meet to be shown, and besides. */
  met: (rows: NamedRows, way: LinkedWay<never>) => Sql,
): Sql | null {
  const found = ways.filter(({ of }) => !isEmpty(of, untrue ? 'and' : 'or'))
  const { dialect } = scope
  const selects = found.map((way) => {
    const { id, tables, conditions } = linkedOwners(scope, owner, way.step, (rows) => met(rows, way))
    const kept = among ? conditions : [...conditions, sql('?? is not null', [id])]
    const inOrder = count === null ? '' : dialect.inOrder
    const told = count === null ? sql('??', [id]) : dialect.groupKey(id)
    return {
      told,
      select: sql(`select ${inOrder}? as ?? from ? where ?`, [told, 'found', tables, all(kept)]),
    }
  })
  const [first, ...others] = selects
  if (first === undefined) return null
  const set = joined(
    selects.map(({ select }) => select),
    ' union all ',
  )
  if (count === null) return set
  const number = numberMeets(scope, count)
  const having = among ? number : sql('not (?)', [number])
  if (others.length === 0) return sql('? group by ? having ?', [first.select, first.told, having])
  return sql('select ?? from (?) as ?? group by ?? having ?', ['found', set, 'linked', 'found', having])
}
