import { type Level, partsOf } from '../plan'
import { idsToCome } from './dialect'
import { column, type SqlScope } from './sql-scope'
import { all, type Sql, sql } from './sql'
import { where } from './where'

/**
 * Ids of the other rows of the same document with their locales, which put them in order, behind the ids of the rows that
 * they are others of. Of what says which of them are shown as much is asked as their own columns tell, since these are at
 * hand: half of them are drafts.
 */
export function othersOfDocument(scope: SqlScope, { model, where: shown }: Level<never>, index: number): Sql {
  const { dialect } = scope
  const [self, other] = [scope.alias(), scope.alias()]
  const [number, text] = [sql(dialect.nulls.number), sql(dialect.nulls.text)]
  const own = partsOf(shown).filter(({ op }) => op === 'test')
  const from = sql(`?? as ?? ${dialect.joinInOrder} ?? as ?? on ?? = ?? and ?? <> ??`, [
    ...[model.table, self, model.table, other],
    ...[column(other, 'document_id'), column(self, 'document_id'), column(other, 'id'), column(self, 'id')],
  ])
  return sql(`select ${String(index)}, ??, ??, ?, ?, ? from ? where ?`, [
    ...[column(self, 'id'), column(other, 'id'), number],
    ...[dialect.textInUnion(column(other, 'locale')), text, from],
    all([
      dialect.isAmong(column(self, 'id'), idsToCome),
      ...own.map((part) => where(scope, { alias: other, model }, part)),
    ]),
  ])
}
