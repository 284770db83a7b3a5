import type { Branch } from '../plan'
import type { Model } from '../schema'
import { column, type SqlScope } from './sql-scope'
import { all, joined, type Sql, sql } from './sql'

/** That two rows of a type are versions of one document, in the same locale. */
export const isSameDocument = ({ localized }: Model, one: string, other: string): Sql =>
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
