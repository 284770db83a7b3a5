import type { Branch, Level } from '../plan'
import type { Model, Uid } from '../schema'
import type { TargetGroup } from './signature'
import { type Row } from './dialects/dialect'
import {
  addTo,
  conditions,
  fieldValue,
  placeOf,
  isHeldThere,
  type LinkReading,
  readingOf,
  type Refs,
} from './link-statements'
import { orderBy, ordering, withJoins } from './order-by'
import { column, type NamedRows, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, compile, type Statement } from './statement'
import type { Selection } from './selection'
import { whereInTime } from './where'

/** Target read together with its links, in one statement instead of two in a row. */
export interface Joined {
  readonly select: Statement
  /** Adds the link of a row to its branch. */
  readonly collect: (row: Row, refs: readonly Refs[]) => void
}

/** Links to rows with many parents: a joined row is repeated for each link. */
const mayBeShared = ({ field }: Branch<never>): boolean =>
  field.role === 'relation' && field.link.via !== 'there'

const isLong = ({ physical }: Model, name: string): boolean =>
  physical.columns.some(({ column: own, type }) => own === name && (type === 'text' || type === 'json'))

/** Estimated number of parent rows. */
export type Parents = 'one' | 'few' | 'many'

/** Long texts of shared rows are read once, unless the parents are few. */
function isCheap(branch: Branch<never>, { model, columns }: Level<never>, from: Parents): boolean {
  if (!mayBeShared(branch) || from === 'one' || (from === 'few' && !branch.field.many)) return true
  return columns.every(({ column: name }) => !isLong(model, name))
}

function isWhole({ field, targets, unlisted, page }: Branch<never>): boolean {
  const { link } = field
  // Links that some rows hide must not be joined.
  if (field.shownIn !== undefined) return false
  if (page !== null || link.via === 'here' || (link.via === 'there' && link.ours !== 'id')) return false
  return unlisted === 'omit' || field.targets.every((uid) => targets.has(uid))
}

export const mayBeJoined = (branch: Branch<never>, level: Level<never>, from: Parents): boolean =>
  isWhole(branch) && isCheap(branch, level, from)

function readingFor({ field }: Branch<never>, { model }: Level<never>): LinkReading | null {
  const { link } = field
  if (link.via === 'here') return null
  return { ...readingOf(field, link, model.table), branches: new Map<string | null, number>() }
}

/** Branches with one kind of link to each target, so that targets can be joined to their links. */
export function joinableBranches(
  branches: readonly Branch<never>[],
  targets: readonly TargetGroup[],
  from: Parents,
): ReadonlySet<number> {
  const able = new Set(branches.keys())
  branches.forEach((branch, index) => {
    if (!isWhole(branch)) able.delete(index)
  })
  const fits = ({ level, ways }: TargetGroup): boolean => {
    const kinds = new Set<string>()
    const values = new Set<string | null>()
    for (const { branch: index } of ways) {
      const branch = branches[index]
      if (branch === undefined || !able.has(index) || !isCheap(branch, level, from)) return false
      const { link } = branch.field
      if (link.via === 'here') return false
      kinds.add(JSON.stringify(readingFor(branch, level)))
      values.add(fieldValue(link))
    }
    return kinds.size === 1 && values.size === ways.length
  }
  // A branch excluded by one target may exclude branches of another.
  for (let before = Infinity; able.size < before;) {
    before = able.size
    for (const { ways } of targets.filter((target) => !fits(target))) {
      for (const { branch } of ways) able.delete(branch)
    }
  }
  return able
}

export function readingOfAll(branches: readonly Branch<never>[], { level, ways }: TargetGroup): LinkReading {
  const readings = ways.flatMap(({ branch: index }) => {
    const branch = branches[index]
    const reading = branch === undefined ? null : readingFor(branch, level)
    return branch === undefined || reading === null ? [] : [{ index, link: branch.field.link, reading }]
  })
  const [first] = readings
  if (first === undefined) throw new Error(`nothing leads to ${level.model.uid}`)
  for (const { index, link } of readings) {
    if (link.via !== 'here') first.reading.branches.set(fieldValue(link), index)
  }
  return first.reading
}

/** `via`: alias of the table with the link. */
function tablesOf(
  scope: SqlScope,
  reading: LinkReading,
  { alias: to, model }: NamedRows,
): { readonly from: Sql; readonly via: string } {
  const { table, theirs } = reading
  if (isHeldThere(reading, model)) return { from: sql('?? as ??', [table, to]), via: to }
  const via = scope.alias()
  const names = [table, via, model.table, to, column(to, 'id'), column(via, theirs)]
  return { from: sql('?? as ?? inner join ?? as ?? on ?? = ??', names), via }
}

/** Parent's id, place and field, behind the columns of the target. */
function linkColumns(via: string, { ours, order, branches }: LinkReading): readonly Sql[] {
  const field = branches.has(null) ? null : 'field'
  return [ours, order, field].map((name) => (name === null ? sql('null') : sql('??', [column(via, name)])))
}

function statementOf(
  scope: SqlScope,
  { model, order, where }: Level<never>,
  reading: LinkReading,
  { uid, list }: { readonly uid: Uid; readonly list: Selection['list'] },
): Sql {
  const to = scope.alias()
  const { from, via } = tablesOf(scope, reading, { alias: to, model })
  const type =
    reading.type === null ? [] : [sql('? = ?', [scope.dialect.unindexed(column(via, reading.type)), uid])]
  const sorted = ordering(scope, to, order)
  const parts = [
    joined([list(scope, to, order.length > 0), ...linkColumns(via, reading)], ', '),
    withJoins(from, sorted),
    all([conditions(scope, via, reading), ...type, whereInTime(scope, { alias: to, model }, where)]),
  ]
  if (order.length === 0) return sql('select ? from ? where ?', parts)
  return sql('select ? from ? where ? order by ?', [...parts, orderBy(sorted.keys)])
}

export function joinedRead(
  scope: SqlScope,
  branches: readonly Branch<never>[],
  aim: TargetGroup,
  { list, positions }: Selection,
): Joined {
  const reading = readingOfAll(branches, aim)
  const uid = aim.ways[0]?.uid ?? aim.level.model.uid
  const type = reading.type === null ? null : uid
  const placed = placeOf(scope)
  const [own, place, field] = [positions.size, positions.size + 1, positions.size + 2]
  return {
    select: compile(scope, statementOf(scope, aim.level, reading, { uid, list }), [positions]),
    collect: (row, refs) => {
      const branch = reading.branches.get((row[field] ?? null) as string | null)
      const into = branch === undefined ? undefined : refs[branch]
      if (into !== undefined)
        addTo(into, Number(row[own]), { id: Number(row[0]), type, place: placed(row[place]) })
    },
  }
}
