import { type Condition, everything, type NotInLocales, type OtherVersion } from '../plan'
import { localeColumn } from '../schema'
import { all, type Sql, sql } from './sql'
import { column, type NamedRows, type SqlScope } from './sql-scope'

/** Whether the row has a draft, or a published version, besides itself. */
function otherVersion(
  { scope, where }: OtherRowScope,
  { alias, model }: NamedRows,
  version: OtherVersion,
): Sql {
  const other = scope.alias()
  const [draft, published] = version.published ? [alias, other] : [other, alias]
  const parts = [
    sql('?? = ??', [column(other, 'document_id'), column(alias, 'document_id')]),
    sql(version.published ? '?? is not null' : '?? is null', [column(other, 'published_at')]),
  ]
  if (version.visible !== everything) parts.push(where(scope, { alias: other, model }, version.visible))
  if (version.sameLocale && model.localized) {
    parts.push(sql('?? = ??', [column(other, 'locale'), column(alias, 'locale')]))
  }
  if (version.draftIsNewer !== null) {
    const sign = version.draftIsNewer ? '?? > ??' : '?? <= ??'
    parts.push(sql(sign, [column(draft, 'updated_at'), column(published, 'updated_at')]))
  }
  const found = version.exists ? 'exists' : 'not exists'
  return sql(`${found} (select 1 from ?? as ?? where ?)`, [model.table, other, all(parts)])
}

type WriteWhere = (scope: SqlScope, rows: NamedRows, condition: Condition<never>) => Sql

/** An index on the document's id, which Strapi makes too, tells it of each row. */
function notInLocales(
  { scope, where }: OtherRowScope,
  { alias, model }: NamedRows,
  { locales, visible }: NotInLocales,
): Sql {
  const rows = { alias: scope.alias(), model }
  const test = { is: 'within', values: locales } as const
  const parts = [
    sql('?? = ??', [column(rows.alias, 'document_id'), column(alias, 'document_id')]),
    where(scope, rows, { op: 'test', column: localeColumn, test, negated: false }),
    where(scope, rows, visible),
  ]
  return sql('not exists (select 1 from ?? as ?? where ?)', [model.table, rows.alias, all(parts)])
}

interface OtherRowScope {
  readonly scope: SqlScope
  readonly where: WriteWhere
}

/** Whether a row's document has another row of this kind, or has none. */
export const otherRow = (
  within: OtherRowScope,
  rows: NamedRows,
  condition: OtherVersion | NotInLocales,
): Sql =>
  condition.op === 'version' ? otherVersion(within, rows, condition) : notInLocales(within, rows, condition)
