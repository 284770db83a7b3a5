import { type Condition, type LinkedEntries, linksInARow, mergeSets } from '../plan'
import { tested } from './compare'
import { foundFar, hasTable, type SomeLinked } from './found-far'
import { linkedSet } from './linked-set'
import { type ConditionParts, leadsOn, linksIn } from './links-in'
import { otherRow } from './other-row'
import { column, follow, type LinkTables, type NamedRows, type SqlScope } from './sql-scope'
import { all, allOf, anyOf, type Sql, sql } from './sql'
import { foundBy } from './statement'
import { takesLong } from './takes-long'

interface Led extends LinkTables {
  readonly to: string
}

function leadTo(scope: SqlScope, alias: string, { step }: SomeLinked): Led {
  const to = scope.alias()
  const rows = { alias: to, model: step.target }
  const shown = where(scope, rows, step.visible)
  return { ...follow(scope, step.field.link, { from: alias, to: rows, shown }), to }
}

/**
 * Parsers and optimizers run out of stack on what is nested too deep: MySQL and MariaDB refuse 63 statements in each
 * other, and SQLite a dozen of those that missing rows meet. So every so many begin a statement of their own.
 */
const mostNested = 9

/** How a set is written, and its inside. */
interface Among {
  readonly inside: SqlScope
  readonly holds: (key: string, set: Sql) => Sql
}

/** One that the optimizer may join to what is around it. */
const open = (scope: SqlScope): Among => ({
  inside: {
    ...scope,
    isChoice: false,
    depth: scope.depth + 1,
    room: scope.room - 1,
    levels: scope.levels - 1,
  },
  holds: (key, set) => sql('?? in (?)', [key, set]),
})

/** One that it works out by itself. `own`: how many links the set follows before its inside begins. */
function closed(scope: SqlScope, own: 0 | 1): Among {
  const { dialect } = scope
  const depth = scope.depth + 1
  const { links, levels } = dialect.atOnce
  const inside = { ...scope, isChoice: false, depth, room: links - own, levels: levels - own }
  if (depth % mostNested > 0) return { inside, holds: (key, set) => dialect.isApart(key, set) }
  return { inside, holds: (key, set) => dialect.isAmong(key, foundBy(scope, set)) }
}

/** One of a chain that is worked out link by link. */
function far(scope: SqlScope): Among {
  const { dialect } = scope
  const { links, levels } = dialect.atOnce
  const inside = { ...scope, isFar: true, isChoice: false, depth: scope.depth + 1, room: links, levels }
  if (inside.depth % mostNested > 0) return { inside, holds: (key, set) => dialect.isInFar(key, set) }
  const among = (key: string, set: Sql): Sql => dialect.isAmong(dialect.unindexed(key), foundBy(scope, set))
  return { inside, holds: among }
}

const beginsStatement = ({ depth }: SqlScope): boolean => (depth + 1) % mostNested === 0

const fit = (parts: ConditionParts, { room, levels }: SqlScope): boolean =>
  room === Infinity || linksIn(parts, room, levels) <= room

/** What there is no room for is kept from the optimizer as before; from the second link on it may be far. */
function isWrittenFar({ isFar, levels, dialect }: SqlScope, condition: SomeLinked): boolean {
  const { farFrom, joinsApart } = dialect
  if (!hasTable(condition.step) || (levels === 0 && !joinsApart)) return false
  return isFar || linksInARow(condition, farFrom) === farFrom
}

/**
 * As a set that is found once, not a question asked for every row: nested in each other, such questions would take
 * time exponential in the depth.
 */
function found(scope: SqlScope, alias: string, condition: SomeLinked): Sql {
  const { step, of } = condition
  if (isWrittenFar(scope, condition)) {
    const { inside, holds } = far(scope)
    const met = (alias: string): Sql => {
      const rows = { alias, model: step.target }
      return all([where(inside, rows, step.visible), writtenInTime(inside, rows, of)])
    }
    return foundFar(scope, alias, condition, { met, holds })
  }
  const { room, levels } = scope
  const isOpen = levels > 0 && !beginsStatement(scope) && (room > 1 || fit([condition], scope))
  const { inside, holds } = isOpen ? open(scope) : closed(scope, 1)
  const { tables, tie, conditions, to } = leadTo(inside, alias, condition)
  const inner = all([...conditions, writtenInTime(inside, { alias: to, model: step.target }, of)])
  return holds(tie.from, sql('select ?? as ?? from ? where ?', [tie.by, 'found', tables, inner]))
}

/** That the link leads nowhere, which an index tells of each row. */
function nowhere(scope: SqlScope, alias: string, condition: SomeLinked): Sql {
  const { tables, tie, conditions } = leadTo(scope, alias, condition)
  const tied = all([sql('?? = ??', [tie.by, tie.from]), ...conditions])
  return sql('not exists (select 1 from ? where ?)', [tables, tied])
}

function some(scope: SqlScope, alias: string, condition: SomeLinked): Sql {
  const { of, orMissing } = condition
  const ways: Sql[] = []
  if (of.op !== 'or' || of.of.length > 0) ways.push(found(scope, alias, condition))
  if (orMissing) ways.push(nowhere(scope, alias, condition))
  return anyOf(ways)
}

/**
 * A set that is found once, by itself: what it is made of is no part of the join around it. One choice of several is asked
 * of each row, by an index, where the database would go through the whole set for it.
 */
function linked(scope: SqlScope, { alias, model: owner }: NamedRows, condition: LinkedEntries<never>): Sql {
  const { dialect } = scope
  const { among, untrue, ways } = condition
  const inside = { ...closed(scope, 1).inside, isFar: false }
  const asksEach = scope.isChoice && dialect.forgetsSets && !ways.some(({ of }) => leadsOn(of))
  const key = column(alias, 'id')
  const set = linkedSet(inside, condition, {
    owner,
    key: asksEach ? key : null,
    met: (rows, { step, of }) => {
      const met = writtenInTime({ ...inside, isChoice: untrue }, rows, of)
      return all([where(inside, rows, step.visible), untrue ? sql('(?) is not true', [met]) : met])
    },
  })
  if (set === null) return sql(among ? '1 = 0' : '1 = 1')
  if (asksEach) return sql(among ? 'exists (?)' : 'not exists (?)', [set])
  if (!beginsStatement(scope)) {
    if (!among) return dialect.isNowhere(key, set)
    return condition.count === null ? dialect.isFound(key, set) : dialect.isFoundInGroups(key, set)
  }
  const found = dialect.isAmong(key, foundBy(scope, set))
  return among ? found : sql('(?) is not true', [found])
}

/** The rows of a table for which all of these conditions hold, among which the row has to be. */
function bundle(scope: SqlScope, { alias, model }: NamedRows, parts: ConditionParts): Sql {
  const { inside, holds } = closed(scope, 0)
  const self = scope.alias()
  const found = writtenInTime(inside, { alias: self, model }, { op: 'and', of: parts })
  const list = [column(self, 'id'), 'found', model.table, self, found]
  return holds(column(alias, 'id'), sql('select ?? as ?? from ?? as ?? where ?', list))
}

/** What is asked of the row itself, and cheap, is asked in every bundle, too: most often it is that the row is published. */
const mostRepeated = 4

/** In as many bundles as there is room for, as even as can be. */
function bundled(
  scope: SqlScope,
  rows: NamedRows,
  { own, leading }: Readonly<Record<'own' | 'leading', ConditionParts>>,
): readonly Sql[] {
  const count = Math.max(1, Math.min(leading.length, scope.room))
  const inBundle = { ...scope, room: Math.floor(scope.room / count) }
  const repeated = own.filter(({ op }) => op === 'test').slice(0, mostRepeated)
  const start = (number: number): number => Math.floor((number * leading.length) / count)
  return Array.from({ length: count }, (_, number) => {
    const some = leading.slice(start(number), start(number + 1))
    const [only] = some
    return some.length === 1 && only !== undefined
      ? written(inBundle, rows, only)
      : bundle(inBundle, rows, [...repeated, ...some])
  })
}

/**
 * Optimizers turn sets, nested or side by side, into one join, and take time exponential in the number of its tables to
 * order them. So they are given a few links at a time. What there is no room for is kept from them; where that takes a
 * place in the join as well, it is bundled, and the bundles again, which makes a tree.
 */
function parted(scope: SqlScope, rows: NamedRows, parts: ConditionParts): readonly Sql[] {
  const each = (given: SqlScope, some: ConditionParts): readonly Sql[] =>
    some.map((part) => written(given, rows, part))
  const own = parts.filter((part) => !leadsOn(part))
  const leading = parts.filter(leadsOn)
  if (leading.length > 1 && beginsStatement(scope)) {
    return [...each(scope, own), bundle(scope, rows, leading)]
  }
  if (fit(parts, scope)) return each(scope, parts)
  if (scope.dialect.joinsApart) return [...each(scope, own), ...bundled(scope, rows, { own, leading })]
  return [...each(scope, own), ...each(leading.length > 1 ? { ...scope, levels: 0 } : scope, leading)]
}

function writtenInTime(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  const met = written(scope, rows, condition)
  const { inTime } = scope.dialect
  return inTime === null || !takesLong(condition) ? met : all([inTime(column(rows.alias, 'id')), met])
}

function written(scope: SqlScope, rows: NamedRows, condition: Condition<never>): Sql {
  switch (condition.op) {
    case 'and':
      return allOf(parted(scope, rows, condition.of))
    case 'or':
      return anyOf(condition.of.map((part) => written({ ...scope, isChoice: true }, rows, part)))
    case 'test':
      return tested(scope, rows, condition)
    case 'some':
      return some(scope, rows.alias, condition)
    case 'ruled':
      return condition.onTheWay && leadsOn(condition)
        ? bundle(scope, rows, [condition.of])
        : written(scope, rows, condition.of)
    case 'linked':
      return linked(scope, rows, condition)
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
