import { type Condition, leadsThroughLinks, linksInARow, mergeSets } from '../plan'
import { tested } from './compare'
import { linkedSet, type SetAsked } from './linked-set'
import { otherRow } from './other-row'
import { column, follow, isFixed, type NamedRows, type SqlScope } from './sql-scope'
import { all, allOf, anyOf, type Sql, sql } from './sql'
import { takesLong } from './takes-long'

/**
 * As a set that is found once, not a subquery for every row: nested in each other, such subqueries take time exponential in
 * the depth.
 */
function inSet(scope: SqlScope, { alias, model: owner }: NamedRows, asked: SetAsked, isJoined = false): Sql {
  const { dialect } = scope
  const { among, untrue } = asked
  const inside = { ...scope, isInSet: true }
  const set = linkedSet(inside, asked, owner, (rows, { step, of }) => {
    const met = writtenInTime(inside, rows, of)
    return all([where(inside, rows, step.visible), untrue ? sql('(?) is not true', [met]) : met])
  })
  if (set === null) return sql(among ? '1 = 0' : '1 = 1')
  const key = column(alias, 'id')
  if (!among) return dialect.isNotIn(key, set)
  return isJoined ? sql('?? in (?)', [key, set]) : dialect.isIn(key, set)
}

type SomeLinked = Extract<Condition<never>, { op: 'some' }>

/** Beside `not exists` MySQL works sets in each other out for each row. */
const mostMissing = 3

/**
 * Link by link from the far end, without the join of the tables between: the set of each link holds ids of its target alone.
 * SQLite and MySQL look for one link of each row among these, and do not collect all rows that have one.
 */
function inChain(scope: SqlScope, { alias }: NamedRows, condition: SomeLinked): Sql | null {
  const { step, of, orMissing } = condition
  const { link } = step.field
  const { dialect } = scope
  const { chains } = dialect
  const from = orMissing ? Math.min(chains.from, mostMissing) : chains.from
  if (link.via !== 'between' || !(scope.isInChain || linksInARow(condition) >= from)) return null
  const inside = { ...scope, isInSet: true, isInChain: true }
  const [via, to] = [scope.alias(), scope.alias()]
  const rows = { alias: to, model: step.target }
  const met = all([where(inside, rows, step.visible), writtenInTime(inside, rows, of)])
  const targets = sql('select ?? as ?? from ?? as ?? where ?', [
    ...[column(to, 'id'), 'found', step.target.table, to, met],
  ])
  const linked = all([
    ...link.fixed.map((one) => isFixed(dialect.unindexed(column(via, one.column)), one)),
    dialect.isIn(dialect.unindexed(column(via, link.theirs)), targets),
  ])
  const [own, ours] = [column(alias, 'id'), column(via, link.ours)]
  if (chains.by === 'in')
    return dialect.isIn(
      own,
      sql('select ?? as ?? from ?? as ?? where ?', [ours, 'found', link.table, via, linked]),
    )
  return sql('exists (select 1 from ?? as ?? where ?? = ?? and ?)', [link.table, via, ours, own, linked])
}

/** An index finds the rows that a link leads nowhere from. */
function nowhere(scope: SqlScope, alias: string, { step }: SomeLinked): Sql {
  const to = { alias: scope.alias(), model: step.target }
  const shown = where(scope, to, step.visible)
  const { tables, tie, conditions } = follow(scope, step.field.link, { from: alias, to, shown })
  const tied = all([sql('?? = ??', [tie.by, tie.from]), ...conditions])
  return sql('not exists (select 1 from ? where ?)', [tables, tied])
}

function some(scope: SqlScope, rows: NamedRows, condition: SomeLinked): Sql {
  const { step, of, orMissing } = condition
  const ways: Sql[] = []
  if (of.op !== 'or' || of.of.length > 0) {
    const asked = { ways: [{ step, of }], among: true, untrue: false, count: null }
    // The first link is left to the database, which begins with what is rare.
    const isJoined = !scope.isInSet
    ways.push(inChain(scope, rows, condition) ?? inSet(scope, rows, asked, isJoined))
  }
  if (orMissing) ways.push(nowhere(scope, rows.alias, condition))
  return anyOf(ways)
}

/** The first sets may be joined to the rows. More make optimizers take minutes, and MySQL joins 61 tables at most. */
function every(scope: SqlScope, rows: NamedRows, parts: readonly Condition<never>[]): Sql {
  const later = new Set(parts.filter(leadsThroughLinks).slice(scope.dialect.mostJoined))
  return allOf(
    parts.map((part) =>
      later.has(part)
        ? sql('coalesce(?, false)', [written({ ...scope, isInSet: true }, rows, part)])
        : written(scope, rows, part),
    ),
  )
}

/** Apart from the set that it stands in: with the sets of all rules in one join, MariaDB took 24 GB to order its tables. */
function ruled(scope: SqlScope, rows: NamedRows, rule: Condition<never>): Sql {
  const met = written(scope, rows, rule)
  return scope.isInSet && leadsThroughLinks(rule) ? sql('coalesce(?, false)', [met]) : met
}

function writtenInTime(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  const met = written(scope, rows, condition)
  const { inTime } = scope.dialect
  return inTime === null || !takesLong(condition) ? met : all([inTime(column(rows.alias, 'id')), met])
}

function written(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  switch (condition.op) {
    case 'and':
      return every(scope, rows, condition.of)
    case 'or':
      return anyOf(condition.of.map((part) => written(scope, rows, part)))
    case 'test':
      return tested(scope, rows, condition)
    case 'some':
      return some(scope, rows, condition)
    case 'ruled':
      return ruled(scope, rows, condition.of)
    case 'linked':
      return inSet(scope, rows, condition)
    case 'version':
    case 'not in locales':
      return otherRow({ scope, where }, rows, condition)
  }
}

/** A condition on each of these rows. */
export const where = (scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql =>
  written(scope, rows, mergeSets(condition))

/** A condition on the rows of a table that a statement goes through, which it does no longer than it has time. */
export const whereInTime = (scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql =>
  writtenInTime(scope, rows, mergeSets(condition))
