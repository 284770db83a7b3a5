import type { Branch, Level } from '../plan'
import type { Row } from './dialects/dialect'
import {
  addTo,
  conditions,
  fieldValue,
  isKeyThere,
  linkConditions,
  type LinkReading,
  type LinkStatement,
  placeOf,
  readingOf,
  type Refs,
} from './link-statements'
import { ordering, sortedBy, withJoins } from './order-by'
import { keyReader, type Selection } from './selection'
import { isToOne, type TargetGroup } from './signature'
import { column, keyOf, keyValue, type NamedRows, type SqlScope } from './sql-scope'
import { all, compile, joined, type Positions, type Sql, sql, type Statement } from './statement'
import { where, whereInTime } from './where'

/** Estimated number of parent rows. */
export type Parents = 'one' | 'few' | 'many'

/** Target read together with its links, in one statement instead of two in a row. */
export interface JoinedTarget {
  readonly by: 'links'
  readonly select: Statement
  readonly collect: LinkStatement['collect']
}

/** Target of a to-one link. The row of the parent contains its columns, so that it needs no own statement. */
export interface InlineTarget {
  readonly by: 'rows'
  readonly branch: number
  readonly reading: LinkReading
  readonly selection: Selection
  /** Offset behind the parent's own columns. */
  readonly at: number
  /** Own columns, those of inlined targets below, and the place of the link. */
  readonly width: number
}

/** Target that may be read in the rows of its parent, and the targets below. */
export interface LevelTarget {
  readonly level: Level<never>
  readonly found: InlineTarget | { readonly by: 'ids' | 'links' }
  readonly targets: readonly LevelTarget[]
}

/** Long texts of shared rows are read once, unless the parents are few. */
function isCheap({ field }: Branch<never>, { model, columns }: Level<never>, from: Parents): boolean {
  // A joined row is repeated for each link.
  const isShared = field.role === 'relation' && field.link.via !== 'there'
  if (!isShared || from === 'one' || (from === 'few' && !field.many)) return true
  const isLong = (name: string): boolean =>
    model.physical.columns.some(
      ({ column: own, type }) => own === name && (type === 'text' || type === 'json'),
    )
  return !columns.some(({ column: name }) => isLong(name))
}

function isWhole({ field, targets, unlisted, page }: Branch<never>): boolean {
  const { link } = field
  // Links that some rows hide must not be joined.
  if (field.shownIn !== undefined) return false
  if (page !== null || link.via === 'here' || (link.via === 'there' && link.isOfDocument === true))
    return false
  return unlisted === 'omit' || field.targets.every((uid) => targets.has(uid))
}

/** Of several links to one entry, the target's own order decides. */
export function mayBeInline(host: Level<never>, group: TargetGroup, from: Parents): boolean {
  const { level, ways } = group
  if (level.order.length > 0 || !isToOne(group, host)) return false
  return ways.every(({ branch: index }) => {
    const branch = host.branches[index]
    if (branch === undefined || branch.field.link.via === 'mixed') return false
    return isWhole(branch) && isCheap(branch, level, from)
  })
}

/** Branches with one kind of link to each target, so that targets can be joined to their links. */
export function joinableBranches(
  branches: readonly Branch<never>[],
  targets: readonly TargetGroup[],
  from: Parents,
): ReadonlySet<number> {
  const able = new Set(branches.flatMap((branch, index) => (isWhole(branch) ? [index] : [])))
  const fits = ({ level, ways }: TargetGroup): boolean => {
    const kinds = new Set<string>()
    const values = new Set<string | null>()
    for (const { branch: index } of ways) {
      const branch = branches[index]
      if (branch === undefined || !able.has(index) || !isCheap(branch, level, from)) return false
      const { field } = branch
      if (field.link.via === 'here') return false
      kinds.add(JSON.stringify(readingOf(field, field.link, level.model)))
      values.add(fieldValue(field.link))
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
  const served = new Map<string | null, number>()
  let reading: Omit<LinkReading, 'branches'> | undefined
  for (const { branch: index } of ways) {
    const field = branches[index]?.field
    if (field === undefined || field.link.via === 'here') continue
    reading ??= readingOf(field, field.link, level.model)
    served.set(fieldValue(field.link), index)
  }
  if (reading === undefined) throw new Error(`nothing leads to ${level.model.uid}`)
  return { ...reading, branches: served }
}

const isTheir = (to: NamedRows, via: string, { theirs }: LinkReading): Sql =>
  sql('?? = ??', [keyOf(to), column(via, theirs)])

/** Behind the columns of the target: the parent's id, the place and the field of the link. */
export function joinedRead(
  scope: SqlScope,
  { branches, model: owner }: Level<never>,
  group: TargetGroup,
  { list, positions }: Selection,
): JoinedTarget {
  const { model, order, where: shown } = group.level
  const reading = readingOfAll(branches, group)
  const to = scope.alias()
  const rows = { alias: to, model }
  const isOneTable = isKeyThere(reading, model)
  const via = isOneTable ? to : scope.alias()
  const own = sql('?? as ??', [model.table, to])
  const tables = isOneTable
    ? own
    : sql('?? as ?? inner join ? on ?', [reading.table, via, own, isTheir(rows, via, reading)])
  const isOfType =
    reading.type === null
      ? []
      : [sql('? = ?', [scope.dialect.unindexed(column(via, reading.type)), model.uid])]
  const linkColumns = [reading.order, reading.branches.has(null) ? null : 'field'].map((name) =>
    name === null ? sql('null') : sql('??', [column(via, name)]),
  )
  const ours = keyValue(scope, column(via, reading.ours), owner.key.type)
  const sorted = ordering(scope, rows, order)
  const parts = [
    joined([list(scope, to, order.length > 0), ours, ...linkColumns], ', '),
    withJoins(tables, sorted),
    all([conditions(scope, via, reading), ...isOfType, whereInTime(scope, rows, shown)]),
  ]
  const select = sortedBy(sql('select ? from ? where ?', parts), sorted)
  const type = reading.type === null ? null : model.uid
  const placed = placeOf(scope)
  const width = positions.size
  const [ownKey, theirKey] = [keyReader(owner), keyReader(model)]
  return {
    by: 'links',
    select: compile(scope, select, [positions]),
    collect: (row, refs) => {
      const branch = reading.branches.get((row[width + 2] ?? null) as string | null)
      const into = branch === undefined ? undefined : refs[branch]
      if (into !== undefined)
        addTo(into, ownKey(row[width]), { id: theirKey(row[0]), type, place: placed(row[width + 1]) })
    },
  }
}

export const widthOf = (targets: readonly LevelTarget[]): number =>
  targets.reduce((sum, { found }) => sum + (found.by === 'rows' ? found.width : 0), 0)

export const shownAlong = (targets: readonly LevelTarget[]): readonly Positions[] =>
  targets.flatMap(({ found, targets: below }) =>
    found.by === 'rows' ? [found.selection.positions, ...shownAlong(below)] : [],
  )

const leftJoin = (table: string, as: string, on: readonly Sql[]): Sql =>
  sql('left join ?? as ?? on ?', [table, as, all(on)])

/** `via`: alias of the table with the link. */
function leftJoins(
  scope: SqlScope,
  above: NamedRows,
  to: string,
  { model, where: shown }: Level<never>,
  reading: LinkReading,
): { readonly via: string; readonly joins: readonly Sql[] } {
  const isLinked = (via: string): readonly Sql[] => [
    sql('?? = ??', [column(via, reading.ours), keyOf(above)]),
    ...linkConditions(scope, via, reading),
  ]
  const rows = { alias: to, model }
  const isShown = scope.dialect.onOuter(where(scope, rows, shown))
  // The row above holds the key itself.
  if (reading.table === above.model.table && reading.ours === above.model.key.column)
    return {
      via: above.alias,
      joins: [leftJoin(model.table, to, [isTheir(rows, above.alias, reading), isShown])],
    }
  if (isKeyThere(reading, model))
    return { via: to, joins: [leftJoin(model.table, to, [...isLinked(to), isShown])] }
  const via = scope.alias()
  const joins = [
    leftJoin(reading.table, via, isLinked(via)),
    leftJoin(model.table, to, [isTheir(rows, via, reading), isShown]),
  ]
  return { via, joins }
}

export function inlineParts(
  scope: SqlScope,
  above: NamedRows,
  targets: readonly LevelTarget[],
): { readonly columns: readonly Sql[]; readonly joins: readonly Sql[] } {
  const columns: Sql[] = []
  const joins: Sql[] = []
  for (const { level, found, targets: below } of targets) {
    if (found.by !== 'rows') continue
    const { reading, selection } = found
    const to = scope.alias()
    const link = leftJoins(scope, above, to, level, reading)
    const place = reading.order === null ? sql('null') : sql('??', [column(link.via, reading.order)])
    const inner = inlineParts(scope, { alias: to, model: level.model }, below)
    columns.push(selection.list(scope, to, false), ...inner.columns, place)
    joins.push(...link.joins, ...inner.joins)
  }
  return { columns, joins }
}

export interface PlacedLevel {
  readonly level: Level<never>
  readonly positions: Positions
}

/** Cuts the rows of a target out of the parent's rows, where each may occur several times, and links them. */
export function takeInlineRows(
  { branch, at, width }: InlineTarget,
  { level: owner, positions }: PlacedLevel,
  target: Level<never>,
  { rows, refs }: { readonly rows: readonly Row[]; readonly refs: readonly Refs[] },
): readonly Row[] {
  const [ownKey, theirKey] = [keyReader(owner.model), keyReader(target.model)]
  const from = positions.size + at
  const into = refs[branch]
  const taken: Row[] = []
  for (const row of rows) {
    const id = row[from]
    if (id === null || into === undefined) continue
    const place = Number(row[from + width - 1])
    const [key, ref] = [ownKey(row[0]), { id: theirKey(id), type: null, place }]
    if (into.lists.get(key)?.some((one) => one.id === ref.id) !== true) addTo(into, key, ref)
    taken.push(row.slice(from, from + width))
  }
  return taken
}
