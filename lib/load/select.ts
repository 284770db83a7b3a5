import type { AskedPage } from '../query'
import type { Level } from '../plan'
import type { Column, Model } from '../schema'
import { idsToCome, type Sql } from './dialect'
import { orderBy } from './order'
import { column, joined, type Scope } from './scope'
import { compile, type Statement } from './statement'
import { where } from './where'

/** Where in a row the value of each physical column stands. The id is always first. */
export type Positions = ReadonlyMap<string, number>

export interface Selection {
  readonly positions: Positions
  readonly list: (scope: Scope, alias: string) => Sql
}

const idColumn = (model: Model): Column => {
  const id = model.columns.get('id')
  if (id === undefined) throw new Error(`${model.uid} has no id`)
  return id
}

/** Besides what is answered: the id, and the keys that the branches start from. */
export function selectionOf(level: Level<never>): Selection {
  const read = new Map<string, Column['type']>([['id', idColumn(level.model).type]])
  for (const { column: name, type } of level.columns) read.set(name, type)
  for (const { field } of level.branches) {
    if (field.link.via === 'here') read.set(field.link.key, 'id').set(field.link.type, 'string')
    if (field.link.via === 'there' && !read.has(field.link.ours)) read.set(field.link.ours, 'string')
  }
  const list = ({ knex, dialect }: Scope, alias: string): Sql =>
    joined(
      knex,
      [...read].map(([name, type]) => dialect.read(knex, column(alias, name), type)),
      ', ',
    )
  return { positions: new Map([...read.keys()].map((name, index) => [name, index])), list }
}

function total(scope: Scope, { model, where: condition }: Level<never>): Sql {
  const alias = scope.alias()
  return scope.knex.raw('select count(*) from ?? as ?? where ?', [
    model.table,
    alias,
    where(scope, alias, model, condition),
  ])
}

/** A page of the asked type, each row with the total behind it where that is wanted. */
export function selectPage(
  scope: Scope,
  level: Level<never>,
  selection: Selection,
  page: AskedPage | null,
  withTotal: boolean,
): Statement {
  const { knex } = scope
  const alias = scope.alias()
  const { limit, start } = page ?? { limit: 1, start: 0 }
  const from = [level.model.table, alias, where(scope, alias, level.model, level.where)]
  const order = orderBy(scope, alias, level.order)
  const own = selection.list(scope, alias)
  const list = withTotal ? knex.raw('?, (?)', [own, total(scope, level)]) : own
  if (start === 0 && level.order.length === 1) {
    return compile(
      knex.raw('select ? from ?? as ?? where ? order by ? limit ?', [list, ...from, order, limit]),
    )
  }
  // Rows are skipped and sorted by their ids alone; only those of the page are read whole.
  const id = column(alias, 'id')
  const ids = knex.raw('select ?? from ?? as ?? where ? order by ? limit ? offset ?', [
    id,
    ...from,
    order,
    limit,
    start,
  ])
  const picked = scope.alias()
  return compile(
    knex.raw('select ? from (?) as ?? inner join ?? as ?? on ?? = ?? order by ?', [
      list,
      ids,
      picked,
      level.model.table,
      alias,
      id,
      column(picked, 'id'),
      order,
    ]),
  )
}

export function selectTotal(scope: Scope, level: Level<never>): Statement {
  return compile(total(scope, level))
}

/** Rows that links lead to. */
export function selectLinked(scope: Scope, level: Level<never>, selection: Selection): Statement {
  const { knex, dialect } = scope
  const alias = scope.alias()
  const parts = [
    selection.list(scope, alias),
    level.model.table,
    alias,
    dialect.isAmong(knex, column(alias, 'id'), idsToCome),
    where(scope, alias, level.model, level.where),
  ]
  const text = 'select ? from ?? as ?? where ? and ?'
  if (level.order.length === 0) return compile(knex.raw(text, parts))
  return compile(knex.raw(`${text} order by ?`, [...parts, orderBy(scope, alias, level.order)]))
}
