import type { Branch, Level } from '../plan'
import type { NumberedPage } from '../query'
import type { LinkField } from '../schema'
import { addTo, type LinkStatement } from './link-statements'
import { orderBy, type Ordering, ordering, withJoins } from './order-by'
import { column, linkRows, type NamedRows, sortDirection, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql, compile } from './sql'
import { whereInTime } from './where'

interface PagedBranch {
  readonly field: LinkField
  readonly level: Level<never>
  readonly page: NumberedPage
}

interface PagedLink {
  readonly tables: Sql
  readonly ours: string
  readonly conditions: readonly Sql[]
  /** Order column of the join table, if any. */
  readonly place: string | null
}

function linked(scope: SqlScope, { link, name }: LinkField, { alias: to, model }: NamedRows): PagedLink {
  const { dialect } = scope
  switch (link.via) {
    case 'here':
      throw new Error(`${name} leads to one entry and has no pages`)
    case 'there': {
      const ours = column(to, link.theirs)
      const conditions = [dialect.ids.isAmong(ours), ...linkRows(scope, to, link, model)]
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
        conditions: [dialect.ids.isAmong(ours), ...linkRows(scope, via, link, model)],
        place,
      }
    }
  }
}

function order(scope: SqlScope, { keys }: Ordering, to: string, place: string | null): Sql {
  if (keys.length > 0) return orderBy(keys)
  const id = sql('??', [column(to, 'id')])
  if (place === null) return id
  return joined([sql(`?? ${sortDirection(scope, 'asc')}`, [place]), id], ', ')
}

/** The first row of each parent brings its total, even if it is not on the page. */
function rowsOf({ start, limit, withCount }: NumberedPage): Sql {
  const page = sql('(?? > ? and ?? <= ?)', ['place', start, 'place', start + limit])
  return withCount ? sql('(? or ?? = 1)', [page, 'place']) : page
}

function select(scope: SqlScope, { field, level, page }: PagedBranch): Sql {
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

const collectPage =
  (branch: number, { start, limit }: NumberedPage): LinkStatement['collect'] =>
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

/** One page of links for each parent, all in one statement. */
export function nestedPageStatement(
  scope: SqlScope,
  { field, targets, page }: Branch<never>,
  branch: number,
): LinkStatement | null {
  const [level] = targets.values()
  if (level === undefined || page === null) return null
  const statement = compile(scope, select(scope, { field, level, page }))
  return { statement, collect: collectPage(branch, page) }
}
