import type { Branch, Level } from '../plan'
import type { AskedPage } from '../query'
import type { LinkField } from '../schema'
import { idsToCome } from './dialect'
import { addTo, type LinkStatement } from './link-statements'
import { orderBy, type Ordering, ordering, withJoins } from './order-by'
import { column, type NamedRows, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'
import { compile } from './statement'
import { whereInTime } from './where'

/** A branch of which each parent has its page of entries. */
interface PagedBranch {
  readonly field: LinkField
  readonly level: Level<never>
  readonly page: AskedPage
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
  const fixed = (alias: string): Sql[] =>
    (link.via === 'here' ? [] : link.fixed).map((part) =>
      sql('?? = ?', [column(alias, part.column), part.value]),
    )
  switch (link.via) {
    case 'here':
      throw new Error(`${name} leads to one entry and has no pages`)
    case 'there': {
      const ours = column(to, link.theirs)
      const conditions = [dialect.isAmong(ours, idsToCome), ...fixed(to)]
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
      return { tables, ours, conditions: [dialect.isAmong(ours, idsToCome), ...fixed(via)], place }
    }
  }
}

/** The order that was asked for, else the editor's. */
function order({ keys }: Ordering, to: string, place: string | null): Sql {
  if (keys.length > 0) return orderBy(keys)
  const columns = [...(place === null ? [] : [place]), column(to, 'id')]
  return joined(
    columns.map((name) => sql('??', [name])),
    ', ',
  )
}

/** With the total asked for, the first row of every parent comes along to bring it, even from behind the page. */
function rowsOf({ start, limit, withCount }: AskedPage): Sql {
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
      order(sorted, to, place),
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

/** The links of a branch whose entries are cut into pages: exact for every parent, in one statement for all of them. */
export function nestedPageStatement(
  scope: SqlScope,
  { field, targets, page }: Branch<never>,
  branch: number,
): LinkStatement | null {
  const [level] = targets.values()
  if (level === undefined || page === null) return null
  return {
    statement: compile(scope, select(scope, { field, level, page })),
    collect: ([own, id, place, total], refs) => {
      const into = refs[branch]
      if (into === undefined) return
      const key = Number(own)
      if (total !== null) into.totals.set(key, Number(total))
      const position = Number(place)
      if (position > page.start && position <= page.start + page.limit) {
        addTo(into, key, { id: Number(id), type: null, place: position })
      }
    },
  }
}
