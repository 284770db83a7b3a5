import type { Step, Branch } from '../plan'
import type { LinkField, Model } from '../schema'
import { column, follow, type NamedRows, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'

/** That two rows of a type are versions of one document, in the same locale. */
const isSameDocument = ({ localized }: Model, one: string, other: string): Sql =>
  all(
    ['document_id', ...(localized ? ['locale'] : [])].map((name) =>
      sql('?? = ??', [column(one, name), column(other, name)]),
    ),
  )

function publishedId(scope: SqlScope, key: string, model: Model): Sql {
  const [draft, published] = [scope.alias(), scope.alias()]
  return sql('(select min(??) from ?? as ?? inner join ?? as ?? on ? where ?? = ?? and ?? is not null)', [
    ...[column(published, 'id'), model.table, draft, model.table, published],
    ...[isSameDocument(model, published, draft), column(draft, 'id'), key, column(published, 'published_at')],
  ])
}

/** Of a key that may name a draft: the id of its published version, where there is one. Null for any other column. */
export function publishedKey(
  scope: SqlScope,
  alias: string,
  name: string,
  branches: readonly Branch<never>[],
): Sql | null {
  const key = column(alias, name)
  const cases = branches.flatMap(({ field, targets }) => {
    if (field.link.via !== 'here' || field.link.key !== name || field.link.toPublished !== true) return []
    const type = column(alias, field.link.type)
    return [...targets.values()].flatMap(({ model }) =>
      model.draftAndPublish
        ? [sql('when ?? = ? then ?', [type, model.uid, publishedId(scope, key, model)])]
        : [],
    )
  })
  return cases.length === 0 ? null : sql('coalesce(case ? end, ??)', [joined(cases, ' '), key])
}

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
