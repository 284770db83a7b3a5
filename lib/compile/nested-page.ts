import { type Branch, type KeysetPage, type Level, type Page } from '../plan'
import type { NumberedPage } from '../query'
import type { LinkField } from '../schema'
import { idsToCome } from './dialect'
import { directionOf, keysOfRow, orderByKeys, readKeys, toldKeys } from './key-column'
import { addTo, type LinkStatement } from './link-statements'
import { orderBy, type Ordering, ordering, type ValueKey, valueOrdering, withJoins } from './order-by'
import { isThere, rankedLinks, type SortedLinks } from './ranked-links'
import { column, linkRows, type NamedRows, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'
import { type EdgeEntry, nothingSeen, type SeenEdges } from './seen-edges'
import { compile } from './statement'
import { whereInTime } from './where'

/** A branch of which each parent has its page of entries. */
interface PagedBranch<P extends Page> {
  readonly field: LinkField
  readonly level: Level<never>
  readonly page: P
}

interface PagedLink {
  readonly tables: Sql
  readonly ours: string
  readonly conditions: readonly Sql[]
  /** The editor's order, where the join table keeps one. */
  readonly place: string | null
}

function linked(scope: SqlScope, { link, name }: LinkField, { alias: to, model }: NamedRows): PagedLink {
  const { dialect } = scope
  switch (link.via) {
    case 'here':
      throw new Error(`${name} leads to one entry and has no pages`)
    case 'there': {
      const ours = column(to, link.theirs)
      const conditions = [dialect.isAmong(ours, idsToCome), ...linkRows(scope, to, link, model)]
      return { tables: sql('?? as ??', [model.table, to]), ours, conditions, place: null }
    }
    case 'between':
    case 'mixed': {
      const via = scope.alias()
      const ours = column(via, link.ours)
      const ends = [column(to, 'id'), column(via, link.theirs)]
      const from = [link.table, via, model.table, to]
      const tables = sql('?? as ?? inner join ?? as ?? on ?? = ??', [...from, ...ends])
      const place = link.order === null ? null : column(via, link.order)
      return {
        tables,
        ours,
        conditions: [dialect.isAmong(ours, idsToCome), ...linkRows(scope, via, link, model)],
        place,
      }
    }
  }
}

/** The order that was asked for, else the editor's. */
function order({ dialect, matching }: SqlScope, { keys }: Ordering, to: string, place: string | null): Sql {
  if (keys.length > 0) return orderBy(keys)
  const id = sql('??', [column(to, 'id')])
  if (place === null) return id
  return joined([sql(`?? ${dialect.direction('asc', matching)}`, [place]), id], ', ')
}

/** With the total asked for, the first row of every parent comes along to bring it, even from behind the page. */
function rowsOf({ start, limit, withCount }: NumberedPage): Sql {
  const page = sql('(?? > ? and ?? <= ?)', ['place', start, 'place', start + limit])
  return withCount ? sql('(? or ?? = 1)', [page, 'place']) : page
}

function select(scope: SqlScope, { field, level, page }: PagedBranch<NumberedPage>): Sql {
  const to = scope.alias()
  const rows = { alias: to, model: level.model }
  const { tables, ours, conditions, place } = linked(scope, field, rows)
  const sorted = ordering(scope, to, level.order)
  const total = sql(page.withCount ? 'count(*) over (partition by ??)' : 'null', page.withCount ? [ours] : [])
  const numbered = sql(
    'select ?? as ??, ?? as ??, row_number() over (partition by ?? order by ?) as ??, ? as ?? from ? where ?',
    [
      ours,
      'ours',
      column(to, 'id'),
      'theirs',
      ours,
      order(scope, sorted, to, place),
      'place',
      total,
      'total',
      withJoins(tables, sorted),
      all([...conditions, whereInTime(scope, rows, level.where)]),
    ],
  )
  return sql('select ??, ??, ??, ?? from (?) as ?? where ?', [
    'ours',
    'theirs',
    'place',
    'total',
    numbered,
    'numbered',
    rowsOf(page),
  ])
}

type CollectLink = LinkStatement['collect']

const collectPage =
  (branch: number, { start, limit }: NumberedPage): CollectLink =>
  ([own, id, place, total], refs) => {
    const into = refs[branch]
    if (into === undefined) return
    const key = Number(own)
    if (total !== null) into.totals.set(key, Number(total))
    const position = Number(place)
    if (position > start && position <= start + limit) {
      addTo(into, key, { id: Number(id), type: null, place: position })
    }
  }

/** All links of the rows that are to come, with what the entries behind them are sorted by. */
function sortedLinks(scope: SqlScope, { field, level, page }: PagedBranch<KeysetPage>): SortedLinks {
  const to = scope.alias()
  const rows = { alias: to, model: level.model }
  const { tables, ours, conditions, place } = linked(scope, field, rows)
  const met = all([...conditions, whereInTime(scope, rows, level.where)])
  const isByEditor = level.order.length === 0
  if (isByEditor && place !== null)
    return rankedLinks(scope, { ours, to, place, tables, conditions: met }, page)
  const sorted = valueOrdering(scope, to, level.order, page.from)
  const nullsFirst = scope.dialect.nullsFirst('asc', scope.matching)
  const id = { direction: 'asc', nullsFirst, isSure: true, isFar: false, valueOf: null, type: 'id' } as const
  const byId: readonly ValueKey[] = [{ ...id, value: sql('??', [column(to, 'id')]) }]
  const values = isByEditor ? byId : sorted.keys
  const keys = values.map((key, at) => ({
    ...key,
    name: at === values.length - 1 ? 'theirs' : `key${String(at)}`,
  }))
  const columns = toldKeys(keys).map(({ name }, at) => sql('? as ??', [values[at]?.value, name]))
  const keyed = sql(`select ? from ? where ? ${scope.dialect.apart}`, [
    joined([sql('?? as ??, ?? as ??', [ours, 'ours', column(to, 'id'), 'theirs']), ...columns], ', '),
    withJoins(tables, sorted),
    met,
  ])
  return { keyed, keys, there: isThere(scope, keys, page), keysOf: keysOfRow(scope, keys) }
}

const names = (columns: readonly string[]): Sql =>
  joined(
    columns.map((name) => sql('??', [name])),
    ', ',
  )

/** In front of what the entries are sorted by. */
const ofEach = ['ours', 'theirs', 'there', 'place', 'total']

/** Of each parent its page and one row more, and, of what lies on the page's other side, one: there are others. */
function selectKeyset(
  scope: SqlScope,
  { page }: PagedBranch<KeysetPage>,
  { keyed, keys, there }: SortedLinks,
): Sql {
  const { limit, withCount } = page
  const direction = directionOf(page)
  const values = toldKeys(keys).map(({ name }) => name)
  const list = names(['ours', 'theirs', ...values])
  const sided = sql('select ?, ? as ?? from (?) as ??', [list, there, 'there', keyed, 'keyed'])
  const total = sql(withCount ? 'count(*) over (partition by ??)' : 'null', withCount ? ['ours'] : [])
  const place = sql('row_number() over (partition by ??, ?? order by ?)', [
    ...['ours', 'there', orderByKeys(scope, keys, direction.back)],
  ])
  const numbered = sql('select ?, ??, ? as ??, ? as ?? from (?) as ??', [
    ...[list, 'there', place, 'place', total, 'total', sided, 'sided'],
  ])
  return sql('select ? from (?) as ?? where ?? = 1 or (?? = 1 and ?? <= ?)', [
    joined([names(ofEach), ...readKeys(scope, keys, 'numbered')], ', '),
    ...[numbered, 'numbered', 'place', 'there', 'place', limit + 1],
  ])
}

/** Rows may come in any order. */
function withEntry(seen: SeenEdges, entry: EdgeEntry): SeenEdges {
  const { first, last } = seen
  return {
    ...seen,
    first: first === null || entry.place < first.place ? entry : first,
    last: last === null || entry.place > last.place ? entry : last,
  }
}

function collectKeyset(
  branch: number,
  { side, limit }: KeysetPage,
  keysOf: SortedLinks['keysOf'],
): CollectLink {
  return (row, refs) => {
    const into = refs[branch]
    if (into === undefined) return
    const [own, theirs, there, number, total] = row
    const [key, id] = [Number(own), Number(theirs)]
    if (total !== null) into.totals.set(key, Number(total))
    const seen = into.edges.get(key) ?? nothingSeen
    if (Number(there) === 0) into.edges.set(key, { ...seen, areOthers: true })
    else if (Number(number) > limit) into.edges.set(key, { ...seen, isMore: true })
    else {
      // Backwards the nearest is the first, and stands last on the page.
      const place = side === 'before' ? -Number(number) : Number(number)
      into.edges.set(key, withEntry(seen, { id, place, keys: keysOf(row, ofEach.length, key) }))
      addTo(into, key, { id, type: null, place })
    }
  }
}

function numberedPage(scope: SqlScope, branch: PagedBranch<NumberedPage>, at: number): LinkStatement {
  return { statement: compile(scope, select(scope, branch)), collect: collectPage(at, branch.page) }
}

function keysetPage(scope: SqlScope, branch: PagedBranch<KeysetPage>, at: number): LinkStatement {
  const links = sortedLinks(scope, branch)
  const collect = collectKeyset(at, branch.page, links.keysOf)
  return { statement: compile(scope, selectKeyset(scope, branch, links)), collect }
}

/** The links of a branch whose entries are cut into pages: exact for every parent, in one statement for all of them. */
export function nestedPageStatement(
  scope: SqlScope,
  { field, targets, page }: Branch<never>,
  branch: number,
): LinkStatement | null {
  const [level] = targets.values()
  if (level === undefined || page === null) return null
  return page.by === 'cursor'
    ? keysetPage(scope, { field, level, page }, branch)
    : numberedPage(scope, { field, level, page }, branch)
}
