import type { DialectName } from '../../lib/database'
import type { ReadingSettings, PermittedList } from '../../lib/http'
import { type Order, partsOf } from '../../lib/plan'
import type { Column, ColumnType } from '../../lib/schema'
import {
  all,
  column,
  compile,
  joined,
  keyOf,
  leftJoin,
  linkRows,
  makeScope,
  type NamedRows,
  type Sql,
  sql,
  type SqlScope,
  type Statement,
  valueOf,
  where as writeWhere,
  whereInTime,
  whole,
} from '../../lib/sql'
import type { AggregateQuery, AskedAggregate, AskedGroup } from './aggregate-query'
import { datedTypes, firstDayOf, textOfDay } from './first-day-of'
import { type GroupColumn, havingOf } from './having'

/** A group or an aggregate, with the permitted path to its attribute. */
export type PlacedGroup = AskedGroup & { readonly order: Order<never> }
export type PlacedAggregate = AskedAggregate & { readonly order: Order<never> }

export interface GroupQuery extends AggregateQuery {
  readonly groups: readonly PlacedGroup[]
  readonly aggregates: readonly PlacedAggregate[]
  /** Groups of fewer entries are left out. */
  readonly minGroup: number
  readonly start: number
  readonly limit: number
}

interface GroupScope extends SqlScope {
  readonly database: DialectName
}

type OrderStep = Order<never>['steps'][number]
type Joined = ReturnType<typeof leftJoin>

/**
 * Joins the visible entries behind a step. Missing links count as NULL. If all entries are visible, foreign keys of the
 * join table are trusted, so that databases begin with the links of the list and not with all links.
 */
function joinStep(scope: GroupScope, from: NamedRows, step: OrderStep): Joined {
  const { link } = step.field
  if (link.via !== 'between') return leftJoin(scope, from, step)
  const isForeignKey = link.table === from.model.table && link.ours === from.model.key.column
  const isEachVisible = partsOf(step.visible).length === 0
  // SQLite reads all rows of tables that are joined in brackets.
  if (!isForeignKey && !isEachVisible && scope.database !== 'sqlite') return leftJoin(scope, from, step)
  const via = isForeignKey ? from.alias : scope.alias()
  const end = { alias: scope.alias(), model: step.target }
  const isLinked = sql('?? = ??', [keyOf(end), column(via, link.theirs)])
  const isEnd = all([isLinked, writeWhere({ ...scope, isInSet: true }, end, step.visible)])
  const target = [end.model.table, end.alias]
  const join = sql('left join ?? as ?? on ?', [...target, scope.dialect.onOuter(isEnd)])
  if (isForeignKey) return { join, end }
  const tie = sql('?? = ??', [column(via, link.ours), keyOf(from)])
  const isThere = isEachVisible ? [] : [sql('exists (select 1 from ?? as ?? where ?)', [...target, isEnd])]
  const links = all([tie, ...linkRows(scope, via, link, end.model), ...isThere])
  return { join: sql('left join ?? as ?? on ? ?', [link.table, via, links, join]), end }
}

/** The rows of the list, with joins to other entries. Equal paths share their joins. */
class ListRows {
  tables: Sql
  private readonly ends = new Map<string, NamedRows>()

  constructor(
    private readonly scope: GroupScope,
    private readonly root: NamedRows,
  ) {
    this.tables = sql('?? as ??', [root.model.table, root.alias])
  }

  aliasOf(steps: readonly OrderStep[]): string {
    let end = this.root
    let path = ''
    for (const step of steps) {
      path += `.${step.field.name}`
      end = this.ends.get(path) ?? this.join(path, end, step)
    }
    return end.alias
  }

  private join(path: string, from: NamedRows, step: OrderStep): NamedRows {
    const { join, end } = joinStep(this.scope, from, step)
    this.tables = sql('? ?', [this.tables, join])
    this.ends.set(path, end)
    return end
  }
}

const names = {
  group: (at: number) => `g${String(at)}`,
  /** The value in the form in which groups are compared. */
  compared: (at: number) => `c${String(at)}`,
  value: (at: number) => `v${String(at)}`,
  aggregate: (at: number) => `a${String(at)}`,
  /** Both halves of a sum that may leave 64 bits. */
  exact: (at: number) => `e${String(at)}`,
} as const

const named = (name: string): Sql => sql('??', [name])
const as = (value: Sql, name: string): Sql => sql('? as ??', [value, name])

/** Doubles, so that averages are the same everywhere. Without the addition, MySQL returns 0 for a sum beyond doubles. */
const asDouble = ({ database }: GroupScope, value: Sql): Sql =>
  sql(database === 'postgres' ? 'cast(? as double precision)' : '(? + 0e0)', [value])

export const isWhole = (type: ColumnType): boolean => type === 'integer' || type === 'biginteger'

/** SQLite ends a statement if a sum leaves 64 bits. */
const isInHalves = ({ database }: GroupScope, { of, order }: PlacedAggregate): boolean =>
  database === 'sqlite' && of === 'sum' && order.column.type === 'biginteger'

const halves = (text: string, value: Sql): Sql => {
  const whole = sql('cast(? as integer)', [value])
  return sql(text, [whole, whole])
}

function sumOf(scope: GroupScope, type: ColumnType, value: Sql): Sql {
  const sum = sql('sum(?)', [value])
  if (type === 'float') return asDouble(scope, sql('sum(?)', [asDouble(scope, value)]))
  if (scope.database !== 'sqlite' || type === 'integer') return sum
  if (type === 'biginteger') return halves('(sum(? / 4294967296) * 4294967296 + sum(? % 4294967296))', value)
  return sql(`case when ? is not null then cast(printf('%.15g', ?) as real) end`, [sum, sum])
}

/** The value of a compared one: MySQL compares the bytes of texts. */
const valueFrom = ({ database }: GroupScope, type: ColumnType, value: Sql): Sql =>
  database === 'mysql' && type === 'string' ? sql('convert(? using utf8mb4)', [value]) : value

/** MySQL and MariaDB sort and group a long text by its beginning, or fail. */
const isCut = ({ database }: GroupScope, { type, extent }: Column): boolean =>
  database === 'mysql' && type === 'string' && extent !== 'line'

const ordered = ({ dialect, matching }: SqlScope, type: ColumnType, value: Sql): Sql =>
  type === 'string' ? dialect.text[matching].ordered(value) : value

function compared(scope: GroupScope, column: Column, value: Sql): Sql {
  const own = ordered(scope, column.type, value)
  return scope.matching === 'exact' && isCut(scope, column) ? sql('sha2(?, 256)', [own]) : own
}

function aggregateOf(scope: GroupScope, { of, order }: PlacedAggregate, value: Sql): Sql {
  const { type } = order.column
  switch (of) {
    case 'countDistinct':
      return sql('count(distinct ?)', [compared(scope, order.column, value)])
    case 'sum':
      return sumOf(scope, type, value)
    case 'avg':
      return sql('? / count(?)', [asDouble(scope, sumOf(scope, type, value)), value])
    case 'min':
    case 'max':
      return valueFrom(scope, type, sql(`${of}(?)`, [ordered(scope, type, value)]))
  }
}

/** Zero dates of MySQL are null, as in entries. */
function withoutZero({ database }: GroupScope, value: Sql, { type, isExisting }: Column): Sql {
  const canBeZero = database === 'mysql' && isExisting === true && datedTypes.includes(type)
  return canBeZero ? sql('case when to_days(?) is not null then ? end', [value, value]) : value
}

/** True if the smallest text of a group is shown, as its texts are not compared as they are. */
const isShownApart = (scope: GroupScope, { part, order }: PlacedGroup): boolean =>
  part === null &&
  order.column.type === 'string' &&
  (scope.matching === 'database' || isCut(scope, order.column))

/** Rows of the list with the values of groups and aggregates. */
function listRows(
  scope: GroupScope,
  { permitted }: PermittedList,
  { groups, aggregates }: GroupQuery,
  isDistinct: boolean,
): Sql {
  const { model, where } = permitted.root
  const root = { alias: scope.alias(), model }
  const rows = new ListRows(scope, root)
  const valueAt = ({ steps, column: own }: Order<never>): Sql =>
    withoutZero(scope, valueOf(scope, rows.aliasOf(steps), own), own)
  const ofGroups = groups.flatMap((group, at) => {
    const { part, order } = group
    const { column: own, steps } = order
    if (part !== null) {
      const stored = named(column(rows.aliasOf(steps), own.column))
      return [as(firstDayOf(scope.database, stored, own.type, part), names.compared(at))]
    }
    const value = valueAt(order)
    const shown = isShownApart(scope, group) ? [as(value, names.group(at))] : []
    return [as(compared(scope, own, value), names.compared(at)), ...shown]
  })
  const values = aggregates.map(({ order }, at) => as(valueAt(order), names.value(at)))
  const columns = joined([as(named(keyOf(root)), 'entry'), ...ofGroups, ...values], ', ')
  const found = whereInTime(scope, root, where)
  return sql(`select ${isDistinct ? 'distinct ' : ''}? from ? where ?`, [columns, rows.tables, found])
}

/** A column of the statement that groups. */
interface ResultColumn extends GroupColumn {
  readonly made: readonly Sql[]
  /** The value from which the response is made. */
  readonly read: Sql
}

function columnOfGroup(scope: GroupScope, group: PlacedGroup, at: number): ResultColumn {
  const { name, part, order } = group
  const column = names.group(at)
  const type = part === null ? order.column.type : 'string'
  const value = named(names.compared(at))
  const own = part === null ? valueFrom(scope, type, value) : textOfDay(scope.database, value)
  const made = isShownApart(scope, group) ? sql('min(??)', [column]) : own
  const read = scope.dialect.read(column, type)
  return { name, column, type, isCut: isCut(scope, order.column), made: [as(made, column)], read }
}

/** The type of an aggregate's values, for conditions. */
function typeOfAggregate({ of, order: { column } }: PlacedAggregate): ColumnType {
  if (of === 'countDistinct') return 'biginteger'
  if (of === 'sum') return isWhole(column.type) ? 'decimal' : column.type
  return of === 'avg' ? 'float' : column.type
}

function columnOfAggregate(scope: GroupScope, aggregate: PlacedAggregate, at: number): ResultColumn {
  const { name, of, order } = aggregate
  const column = names.aggregate(at)
  const type = typeOfAggregate(aggregate)
  const value = named(names.value(at))
  const own = { name, column, type, isCut: isCut(scope, order.column) }
  const made = [as(aggregateOf(scope, aggregate, value), column)]
  if (isInHalves(scope, aggregate)) {
    const exact = halves(`sum(? / 4294967296) || ' ' || sum(? % 4294967296)`, value)
    return { ...own, made: [...made, as(exact, names.exact(at))], read: named(names.exact(at)) }
  }
  // Integers of SQLite's driver are doubles.
  const isText = scope.database === 'sqlite' && of === 'sum' && isWhole(order.column.type)
  return { ...own, made, read: isText ? sql('cast(?? as text)', [column]) : scope.dialect.read(column, type) }
}

/** Missing values come first, and last in descending order, on all databases. */
function orderOf(
  { dialect, matching }: SqlScope,
  { column: name, type, isCut }: GroupColumn,
  direction: 'asc' | 'desc',
): Sql {
  const value = type === 'string' ? dialect.text[matching].sorted(named(name), !isCut) : named(name)
  const nulls = direction === 'asc' ? 'asc nulls first' : 'desc nulls last'
  const keys = isCut ? [value, sql('sha2(??, 256)', [name])] : [value]
  return joined(
    keys.map((key) => sql(`? ${dialect.nullsAre === 'smallest' ? direction : nulls}`, [key])),
    ', ',
  )
}

/**
 * Rows of `page` have the groups, the count, the aggregates, and the number of all groups. `total` reads this number for
 * a page behind the last one.
 */
export function groupStatements(
  settings: ReadingSettings,
  list: PermittedList,
  query: GroupQuery,
): Record<'page' | 'total', Statement> {
  const scope = { ...makeScope(settings), database: settings.database.dialect }
  const groups = query.groups.map((group, at) => columnOfGroup(scope, group, at))
  const aggregates = query.aggregates.map((one, at) => columnOfAggregate(scope, one, at))
  // An entry counts once in each of its groups. Distinct rows, which sums need, take longer than distinct ids.
  const isRepeated = query.groups.some(({ order }) => order.steps.some(({ field }) => field.many))
  const isAdded = query.aggregates.some(({ of }) => of === 'sum' || of === 'avg')
  const entries = isRepeated && !isAdded ? sql('count(distinct ??)', ['entry']) : sql('count(*)')
  const count: ResultColumn = {
    ...{ name: 'count', column: 'entries', type: 'biginteger', isCut: false },
    ...{ made: [as(entries, 'entries')], read: named('entries') },
  }
  const columns = [...groups, count, ...aggregates]
  const made = columns.flatMap((one) => one.made)
  const by = groups.map((_, at) => named(names.compared(at)))
  const groupBy = by.length === 0 ? sql('') : sql('group by ?', [joined(by, ', ')])
  const rows = listRows(scope, list, query, isRepeated && isAdded)
  const parts = [joined(made, ', '), rows, 'listed', groupBy, 'grouped']
  const grouped = sql('(select ? from (?) as ?? ?) as ??', parts)
  const isLarge = query.minGroup > 1 ? [sql('?? >= ?', ['entries', whole(query.minGroup)])] : []
  const known = query.counts ? columns : [...groups, ...aggregates]
  const met = all([havingOf(scope, query.having, known), ...isLarge])
  // A second key for a group that the query sorts by changes nothing.
  const sort = [...query.sort, ...groups.map(({ name }) => ({ name, direction: 'asc' as const }))]
  const order = sort.flatMap(({ name, direction }) =>
    columns.filter((own) => own.name === name).map((own) => orderOf(scope, own, direction)),
  )
  const read = [...columns.map((one) => one.read), sql('count(*) over ()')]
  const page = sql('select ? from ? where ? order by ? limit ? offset ?', [
    ...[joined(read, ', '), grouped, met, joined([...order, named('entries')], ', ')],
    ...[whole(query.limit), whole(query.start)],
  ])
  const total = sql('select count(*) from ? where ?', [grouped, met])
  return { page: compile(scope, page), total: compile(scope, total) }
}
