import type { Step } from '../plan'
import type { LinkField, Model } from '../schema'
import { column, follow, type NamedRows, type SqlScope } from './sql-scope'
import { isSameDocument } from './published-key'
import { all, joined, type Sql, sql } from './sql'

type KeyLink = Extract<LinkField['link'], { via: 'here' }>

/** Rows that a link starts from, by their ids. */
export interface LinkedOwners {
  readonly id: string
  readonly tables: Sql
  readonly conditions: readonly Sql[]
}

/** The row's own key leads to rows of any type. The row is named once more, so that what is found depends on no row outside. */
function byKey(scope: SqlScope, owner: Model, link: KeyLink, { rows, met }: LedTo): LinkedOwners {
  const self = scope.alias()
  const { alias, model } = rows
  const isToPublished = link.toPublished === true && model.draftAndPublish
  const named = isToPublished ? scope.alias() : alias
  const steps = [
    sql('?? as ?? inner join ?? as ?? on ?? = ??', [
      ...[owner.table, self, model.table, named],
      ...[column(named, 'id'), column(self, link.key)],
    ]),
    ...(isToPublished
      ? [sql('?? as ?? on ?', [model.table, alias, isSameDocument(model, alias, named)])]
      : []),
  ]
  const tables = joined(steps, ' inner join ')
  const conditions = [sql('?? = ?', [column(self, link.type), model.uid]), met]
  return { id: column(self, 'id'), tables, conditions }
}

interface LedTo {
  readonly rows: NamedRows
  readonly met: Sql
}

/** The rows of a type that lead to such rows of another as are `met`. */
export function linkedOwners(
  scope: SqlScope,
  owner: Model,
  { field: { link }, target }: Step,
  met: (rows: NamedRows) => Sql,
): LinkedOwners {
  const rows = { alias: scope.alias(), model: target }
  if (link.via === 'here') return byKey(scope, owner, link, { rows, met: met(rows) })
  const { tables, tie, conditions } = follow(scope, link, { from: '', to: rows, shown: all([]) })
  return { id: tie.by, tables, conditions: [...conditions, met(rows)] }
}
