import type { DialectName } from '../../lib/database'
import type { ReadingSettings, PermittedList } from '../../lib/http'
import type { Order } from '../../lib/plan'
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
import type { AskedAggregate, AskedGroup, AskedSort } from './aggregate-query'
import { datedTypes, firstDayOf, textOfDay } from './first-day-of'
import { type GroupColumn, havingOf } from './having'
import type { RawObject } from '../../lib/query'

/** A group or an aggregate, with the permitted path to its attribute. */
export interface PlacedGroup extends AskedGroup {
  readonly order: Order<never>
}

export interface PlacedAggregate extends AskedAggregate {
  readonly order: Order<never>
}

export interface GroupQuery {
  readonly groups: readonly PlacedGroup[]
  readonly aggregates: readonly PlacedAggregate[]
  readonly having: RawObject
  readonly sort: readonly AskedSort[]
  /** Groups of fewer entries are left out. */
  readonly minGroup: number
  readonly start: number
  readonly limit: number
}

/** Statements of the groups of a list. Rows have the groups, the count, the aggregates, and the number of all groups. */
export interface GroupStatements {
  readonly page: Statement
  /** The number of groups, for a page behind the last one. */
  readonly total: Statement
}

/** The type of a group's values: parts of dates are texts. */
export const typeOfGroup = ({ part, order }: PlacedGroup): ColumnType =>
  part === null ? order.column.type : 'string'

export const isWhole = (type: ColumnType): boolean => type === 'integer' || type === 'biginteger'

/** The type of an aggregate's values, for conditions. */
export function typeOfAggregate({ of, order: { column } }: PlacedAggregate): ColumnType {
  if (of === 'countDistinct') return 'biginteger'
  if (of === 'sum') return isWhole(column.type) ? 'decimal' : column.type
  return of === 'avg' ? 'float' : column.type
}

/** The columns of a row of the list, with joins to the attributes of other entries. Equal paths share their joins. */
class ListRows {
  private readonly joins: Sql[] = []
  private readonly joinedTo = new Map<string, NamedRows>()
  isMultiplied = false

  constructor(
    private readonly scope: SqlScope,
    private readonly dialect: DialectName,
    private readonly root: NamedRows,
  ) {}

  valueAt({ steps, column: own }: Order<never>): Sql {
    let place = this.root
    let path = ''
    for (const step of steps) {
      path += `.${step.field.name}`
      if (step.field.many) this.isMultiplied = true
      const known = this.joinedTo.get(path)
      if (known !== undefined) place = known
      else {
        const { join, end } = this.joinStep(place, step)
        this.joins.push(join)
        this.joinedTo.set(path, end)
        place = end
      }
    }
    return valueOf(this.scope, place.alias, own)
  }

  tables(): Sql {
    const { alias, model } = this.root
    return joined([sql('?? as ??', [model.table, alias]), ...this.joins], ' ')
  }

  /** Joins the visible entries behind a step. Missing links count as NULL. */
  private joinStep(from: NamedRows, step: Order<never>['steps'][number]): ReturnType<typeof leftJoin> {
    const { scope, dialect } = this
    const { link } = step.field
    if (link.via !== 'between') return leftJoin(scope, from, step)
    const isForeignKey = link.table === from.model.table && link.ours === from.model.key.column
    // SQLite reads all rows of tables that are joined in brackets.
    if (!isForeignKey && dialect !== 'sqlite') return leftJoin(scope, from, step)
    const via = isForeignKey ? from.alias : scope.alias()
    const end = { alias: scope.alias(), model: step.target }
    const isLinked = sql('?? = ??', [keyOf(end), column(via, link.theirs)])
    const isEnd = all([isLinked, writeWhere({ ...scope, isInSet: true }, end, step.visible)])
    const target = [end.model.table, end.alias]
    const join = sql('left join ?? as ?? on ?', [...target, scope.dialect.onOuter(isEnd)])
    if (isForeignKey) return { join, end }
    const tie = sql('?? = ??', [column(via, link.ours), keyOf(from)])
    const isThere = sql('exists (select 1 from ?? as ?? where ?)', [...target, isEnd])
    const links = all([tie, ...linkRows(scope, via, link, end.model), isThere])
    return { join: sql('left join ?? as ?? on ? ?', [link.table, via, links, join]), end }
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

/** Doubles, so that averages are the same everywhere. Without the addition, MySQL returns 0 for a sum beyond doubles. */
const asDouble = (dialect: DialectName, value: Sql): Sql =>
  sql(dialect === 'postgres' ? 'cast(? as double precision)' : '(? + 0e0)', [value])

/** SQLite ends a statement if a sum leaves 64 bits. */
const isInHalves = (dialect: DialectName, { of, order }: PlacedAggregate): boolean =>
  dialect === 'sqlite' && of === 'sum' && order.column.type === 'biginteger'

const halves = (text: string, value: Sql): Sql => {
  const whole = sql('cast(? as integer)', [value])
  return sql(text, [whole, whole])
}

function sumOf(dialect: DialectName, type: ColumnType, value: Sql): Sql {
  if (type === 'float') return asDouble(dialect, sql('sum(?)', [asDouble(dialect, value)]))
  if (dialect !== 'sqlite' || type === 'integer') return sql('sum(?)', [value])
  if (type === 'biginteger') return halves('(sum(? / 4294967296) * 4294967296 + sum(? % 4294967296))', value)
  return sql(`case when count(?) > 0 then cast(printf('%.15g', sum(?)) as real) end`, [value, value])
}

/** The value of a compared one: MySQL compares the bytes of texts. */
const valueFrom = (dialect: DialectName, type: ColumnType, value: Sql): Sql =>
  dialect === 'mysql' && type === 'string' ? sql('convert(? using utf8mb4)', [value]) : value

/** MySQL and MariaDB sort and group a long text by its beginning, or fail. */
const isCut = (dialect: DialectName, { type, extent }: Column): boolean =>
  dialect === 'mysql' && type === 'string' && extent !== 'line'

const ordered = ({ dialect, matching }: SqlScope, type: ColumnType, value: Sql): Sql =>
  type === 'string' ? dialect.text[matching].ordered(value) : value

function compared(scope: SqlScope, dialect: DialectName, column: Column, value: Sql): Sql {
  const own = ordered(scope, column.type, value)
  return scope.matching === 'exact' && isCut(dialect, column) ? sql('sha2(?, 256)', [own]) : own
}

function aggregateOf(scope: SqlScope, dialect: DialectName, { of, order }: PlacedAggregate, value: Sql): Sql {
  const { type } = order.column
  switch (of) {
    case 'countDistinct':
      return sql('count(distinct ?)', [compared(scope, dialect, order.column, value)])
    case 'sum':
      return sumOf(dialect, type, value)
    case 'avg':
      return sql('? / count(?)', [asDouble(dialect, sumOf(dialect, type, value)), value])
    case 'min':
    case 'max':
      return valueFrom(dialect, type, sql(`${of}(?)`, [ordered(scope, type, value)]))
  }
}

/** Zero dates of MySQL are null, as in entries. */
function withoutZero(dialect: DialectName, value: Sql, { type, isExisting }: Column): Sql {
  const canBeZero = dialect === 'mysql' && isExisting === true && datedTypes.includes(type)
  return canBeZero ? sql('case when to_days(?) is not null then ? end', [value, value]) : value
}

/** True if the smallest text of a group is shown, as its texts are not compared as they are. */
const isShownApart = ({ matching }: SqlScope, dialect: DialectName, { part, order }: PlacedGroup): boolean =>
  part === null && order.column.type === 'string' && (matching === 'database' || isCut(dialect, order.column))

/** Rows of the list with the values of groups and aggregates. Each entry is once in each of its groups. */
function listRows(
  scope: SqlScope,
  { permitted }: PermittedList,
  dialect: DialectName,
  query: GroupQuery,
): Sql {
  const { model, where } = permitted.root
  const root = { alias: scope.alias(), model }
  const rows = new ListRows(scope, dialect, root)
  const valueAt = (order: Order<never>): Sql => withoutZero(dialect, rows.valueAt(order), order.column)
  const groups = query.groups.flatMap((group, at) => {
    const { part, order } = group
    const { column: by } = order
    const value = valueAt(order)
    const own =
      part === null ? compared(scope, dialect, by, value) : firstDayOf(dialect, value, by.type, part)
    const shown = isShownApart(scope, dialect, group) ? [sql('? as ??', [value, names.group(at)])] : []
    return [sql('? as ??', [own, names.compared(at)]), ...shown]
  })
  const values = query.aggregates.map(({ order }, at) => sql('? as ??', [valueAt(order), names.value(at)]))
  const found = whereInTime(scope, root, where)
  const key = sql('?? as ??', [keyOf(root), 'entry'])
  const list = joined([key, ...groups, ...values], ', ')
  return sql(`select ${rows.isMultiplied ? 'distinct ' : ''}? from ? where ?`, [list, rows.tables(), found])
}

/** The value of a group, made of the one that groups are compared by. */
function shownGroup(scope: SqlScope, dialect: DialectName, group: PlacedGroup, at: number): Sql {
  if (isShownApart(scope, dialect, group)) return sql('min(??)', [names.group(at)])
  const value = named(names.compared(at))
  return group.part === null ? valueFrom(dialect, group.order.column.type, value) : textOfDay(dialect, value)
}

function grouped(scope: SqlScope, list: PermittedList, dialect: DialectName, query: GroupQuery): Sql {
  const { groups, aggregates } = query
  const shown = groups.map((group, at) =>
    sql('? as ??', [shownGroup(scope, dialect, group, at), names.group(at)]),
  )
  const values = aggregates.flatMap((aggregate, at) => {
    const from = named(names.value(at))
    const value = sql('? as ??', [aggregateOf(scope, dialect, aggregate, from), names.aggregate(at)])
    if (!isInHalves(dialect, aggregate)) return [value]
    const exact = halves(`sum(? / 4294967296) || ' ' || sum(? % 4294967296)`, from)
    return [value, sql('? as ??', [exact, names.exact(at)])]
  })
  const columns = joined([...shown, sql('count(*) as ??', ['entries']), ...values], ', ')
  const rows = sql('(?) as ??', [listRows(scope, list, dialect, query), 'listed'])
  if (groups.length === 0) return sql('select ? from ?', [columns, rows])
  const by = groups.map((_, at) => named(names.compared(at)))
  return sql('select ? from ? group by ?', [columns, rows, joined(by, ', ')])
}

function groupColumns(dialect: DialectName, { groups, aggregates }: GroupQuery): readonly GroupColumn[] {
  const columnOf = (placed: PlacedGroup | PlacedAggregate, column: string, type: ColumnType): GroupColumn => {
    return { name: placed.name, column, type, isCut: isCut(dialect, placed.order.column) }
  }
  return [
    { name: 'count', column: 'entries', type: 'biginteger', isCut: false },
    ...groups.map((group, at) => columnOf(group, names.group(at), typeOfGroup(group))),
    ...aggregates.map((one, at) => columnOf(one, names.aggregate(at), typeOfAggregate(one))),
  ]
}

/** Missing values come first, and last in descending order, on all databases. */
function orderOf(
  { dialect, matching }: SqlScope,
  { column: name, type, isCut }: GroupColumn,
  direction: 'asc' | 'desc',
): Sql {
  const value = type === 'string' ? dialect.text[matching].sorted(named(name), !isCut) : named(name)
  const nulls = direction === 'asc' ? 'asc nulls first' : 'desc nulls last'
  const rest = isCut ? [sql('sha2(??, 256)', [name])] : []
  return joined(
    [value, ...rest].map((key) => sql(`? ${dialect.nullsAre === 'smallest' ? direction : nulls}`, [key])),
    ', ',
  )
}

/** Integers of SQLite's driver are doubles, so that sums of integers are read as texts. */
function readAggregate(dialect: DialectName, aggregate: PlacedAggregate, at: number): Sql {
  if (isInHalves(dialect, aggregate)) return named(names.exact(at))
  const isText = dialect === 'sqlite' && aggregate.of === 'sum' && isWhole(aggregate.order.column.type)
  return sql(isText ? 'cast(?? as text)' : '??', [names.aggregate(at)])
}

export function groupStatements(
  settings: ReadingSettings,
  list: PermittedList,
  query: GroupQuery,
  counts: boolean,
): GroupStatements {
  const { dialect: name } = settings.database
  const scope = makeScope(settings)
  const { dialect } = scope
  const columns = groupColumns(name, query)
  const ofGroups = columns.slice(1, 1 + query.groups.length)
  const known = counts ? columns : columns.slice(1)
  const rows = sql('(?) as ??', [grouped(scope, list, name, query), 'grouped'])
  const isLarge = query.minGroup > 1 ? [sql('?? >= ?', ['entries', whole(query.minGroup)])] : []
  const met = all([havingOf(scope, query.having, known), ...isLarge])
  const sorted = query.sort.flatMap((one) => {
    const own = columns.find((each) => each.name === one.name)
    return own === undefined ? [] : [orderOf(scope, own, one.direction)]
  })
  const left = ofGroups.filter((own) => !query.sort.some((one) => one.name === own.name))
  const order = [...sorted, ...left.map((own) => orderOf(scope, own, 'asc'))]
  const shown = [
    ...query.groups.map((group, at) =>
      group.part === null ? dialect.read(names.group(at), typeOfGroup(group)) : named(names.group(at)),
    ),
    named('entries'),
    ...query.aggregates.map((aggregate, at) =>
      aggregate.of === 'min' || aggregate.of === 'max'
        ? dialect.read(names.aggregate(at), typeOfAggregate(aggregate))
        : readAggregate(name, aggregate, at),
    ),
    sql('count(*) over ()'),
  ]
  const cut =
    query.start === 0 ? whole(query.limit) : sql('? offset ?', [whole(query.limit), whole(query.start)])
  const ordered = order.length === 0 ? sql('1') : joined(order, ', ')
  return {
    page: compile(
      scope,
      sql('select ? from ? where ? order by ? limit ?', [joined(shown, ', '), rows, met, ordered, cut]),
    ),
    total: compile(scope, sql('select count(*) from ? where ?', [rows, met])),
  }
}
