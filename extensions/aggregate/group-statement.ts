import type { DialectName } from '../../lib/database'
import type { ReadingSettings, PermittedList } from '../../lib/http'
import type { Order } from '../../lib/plan'
import type { ColumnType } from '../../lib/schema'
import {
  all,
  compile,
  joined,
  keyOf,
  leftJoin,
  makeScope,
  type NamedRows,
  type Sql,
  sql,
  type SqlScope,
  type Statement,
  valueOf,
  whereInTime,
  whole,
} from '../../lib/sql'
import type { AskedAggregate, AskedGroup, AskedSort } from './aggregate-query'
import { firstDayOf } from './first-day-of'
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

const exactNumbers: readonly ColumnType[] = ['integer', 'biginteger', 'decimal']

/** The type of an aggregate's values, for conditions. */
export function typeOfAggregate({ of, order }: PlacedAggregate): ColumnType {
  switch (of) {
    case 'countDistinct':
      return 'biginteger'
    case 'sum':
      return exactNumbers.includes(order.column.type) ? 'decimal' : 'float'
    case 'avg':
      return 'float'
    case 'min':
    case 'max':
      return order.column.type
  }
}

/** The columns of a row of the list, with joins to the attributes of other entries. Equal paths share their joins. */
class ListRows {
  private readonly joins: Sql[] = []
  private readonly joinedTo = new Map<string, NamedRows>()
  isMultiplied = false

  constructor(
    private readonly scope: SqlScope,
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
        const { join, end } = leftJoin(this.scope, place, step)
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
}

const names = {
  group: (at: number) => `g${String(at)}`,
  /** The same value in the form that is compared, if texts are not compared as they are shown. */
  compared: (at: number) => `c${String(at)}`,
  value: (at: number) => `v${String(at)}`,
  aggregate: (at: number) => `a${String(at)}`,
} as const

const named = (name: string): Sql => sql('??', [name])

/** Doubles, so that the average is the same everywhere. */
const asDouble = (value: Sql): Sql => sql('(? + 0e0)', [value])

/** SQLite ends a statement if a sum leaves 64 bits. Two halves become a double then. */
const sumOnSqlite = (value: Sql): Sql =>
  sql('(sum(? / 4294967296) * 4294967296 + sum(? % 4294967296))', [value, value])

function sumOf(dialect: DialectName, type: ColumnType, value: Sql): Sql {
  if (dialect === 'sqlite' && type === 'biginteger') return sumOnSqlite(sql('cast(? as integer)', [value]))
  return sql('sum(?)', [value])
}

/** The smallest or largest text by code point, as a text. */
function extremeText(scope: SqlScope, dialect: DialectName, of: 'min' | 'max', value: Sql): Sql {
  const extreme = sql(`${of}(?)`, [scope.dialect.text[scope.matching].ordered(value)])
  return dialect === 'mysql' ? sql('convert(? using utf8mb4)', [extreme]) : extreme
}

const compared = ({ dialect, matching }: SqlScope, type: ColumnType, value: Sql): Sql =>
  type === 'string' ? dialect.text[matching].ordered(value) : value

function aggregateOf(scope: SqlScope, dialect: DialectName, { of, order }: PlacedAggregate, value: Sql): Sql {
  const { type } = order.column
  switch (of) {
    case 'countDistinct':
      return sql('count(distinct ?)', [compared(scope, type, value)])
    case 'sum':
      return sumOf(dialect, type, value)
    case 'avg':
      return sql('? / count(?)', [asDouble(sumOf(dialect, type, value)), value])
    case 'min':
    case 'max':
      return type === 'string' ? extremeText(scope, dialect, of, value) : sql(`${of}(?)`, [value])
  }
}

/** Rows of the list with the values of groups and aggregates. Each entry is once in each of its groups. */
function listRows(
  scope: SqlScope,
  { permitted }: PermittedList,
  dialect: DialectName,
  query: GroupQuery,
): Sql {
  const { model, where } = permitted.root
  const root = { alias: scope.alias(), model }
  const rows = new ListRows(scope, root)
  const groups = query.groups.flatMap(({ order, part }, at) => {
    const value = rows.valueAt(order)
    const { type } = order.column
    const shown = part === null ? value : firstDayOf(dialect, value, type, part)
    const isText = part === null && type === 'string'
    return [
      sql('? as ??', [shown, names.group(at)]),
      ...(isText ? [sql('? as ??', [compared(scope, type, value), names.compared(at)])] : []),
    ]
  })
  const values = query.aggregates.map(({ order }, at) =>
    sql('? as ??', [rows.valueAt(order), names.value(at)]),
  )
  const found = whereInTime(scope, root, where)
  const key = sql('?? as ??', [keyOf(root), 'entry'])
  const list = joined([key, ...groups, ...values], ', ')
  return sql(`select ${rows.isMultiplied ? 'distinct ' : ''}? from ? where ?`, [list, rows.tables(), found])
}

const isComparedApart = (group: PlacedGroup): boolean =>
  group.part === null && typeOfGroup(group) === 'string'

function grouped(scope: SqlScope, list: PermittedList, dialect: DialectName, query: GroupQuery): Sql {
  const { groups, aggregates } = query
  const shown = groups.map((group, at) =>
    isComparedApart(group)
      ? sql('min(??) as ??', [names.group(at), names.group(at)])
      : sql('??', [names.group(at)]),
  )
  const values = aggregates.map((aggregate, at) => {
    const value = aggregateOf(scope, dialect, aggregate, named(names.value(at)))
    return sql('? as ??', [value, names.aggregate(at)])
  })
  const columns = joined([...shown, sql('count(*) as ??', ['entries']), ...values], ', ')
  const rows = sql('(?) as ??', [listRows(scope, list, dialect, query), 'listed'])
  if (groups.length === 0) return sql('select ? from ?', [columns, rows])
  const by = groups.map((group, at) => named(isComparedApart(group) ? names.compared(at) : names.group(at)))
  return sql('select ? from ? group by ?', [columns, rows, joined(by, ', ')])
}

function groupColumns({ groups, aggregates }: GroupQuery): readonly GroupColumn[] {
  return [
    { name: 'count', column: 'entries', type: 'biginteger' },
    ...groups.map((group, at) => ({ name: group.name, column: names.group(at), type: typeOfGroup(group) })),
    ...aggregates.map((aggregate, at) => {
      return { name: aggregate.name, column: names.aggregate(at), type: typeOfAggregate(aggregate) }
    }),
  ]
}

/** Missing values come first, and last in descending order, on all databases. */
function orderOf(scope: SqlScope, { column: name, type }: GroupColumn, direction: 'asc' | 'desc'): Sql {
  const value = compared(scope, type, named(name))
  const isNull = sql('case when ?? is null then 0 else 1 end', [name])
  return sql(`? ${direction}, ? ${direction}`, [isNull, value])
}

/** 64-bit integers of SQLite's driver are doubles, so that they are read as texts. */
function readAggregate(dialect: DialectName, { of }: PlacedAggregate, name: string): Sql | null {
  if (of === 'min' || of === 'max') return null
  return dialect === 'sqlite' && of === 'sum' ? sql('cast(?? as text)', [name]) : named(name)
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
  const columns = groupColumns(query)
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
    ...query.aggregates.map((aggregate, at) => {
      const own = names.aggregate(at)
      return readAggregate(name, aggregate, own) ?? dialect.read(own, typeOfAggregate(aggregate))
    }),
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
