import { type Condition, isOwnId, type Level, partsOf } from '../plan'
import { keyOf, type NamedRows, type SqlScope } from './sql-scope'
import { type Sql, sql } from './statement'
import { where } from './where'

/** Compares columns of the index on lists, in which ids follow in order. */
const isListed = (part: Condition<never>): boolean =>
  part.op === 'test' &&
  (part.column.name === 'publishedAt' ||
    (part.column.name === 'locale' && part.test.is === 'within' && part.test.values.length === 1))

/** Equal values are rare, and may have an index. */
const isWide = (part: Condition<never>): boolean =>
  part.op === 'or' ||
  (part.op === 'test' && (part.negated || (part.test.is !== 'equal' && part.test.is !== 'within')))

/**
 * The index on lists finds the first id without reading rows. Otherwise databases, which expect matching rows
 * everywhere, read all drafts in front of it: after a bulk publish these are half of the table.
 */
export function fromFirst(
  scope: SqlScope,
  { alias, model }: NamedRows,
  { where: condition, order: [first] }: Level<never>,
  readsIds: boolean,
): readonly Sql[] {
  const parts = partsOf(condition)
  const listed = parts.filter(isListed)
  const others = parts.filter((part) => !isListed(part))
  const isById = first !== undefined && isOwnId(first) && first.direction === 'asc'
  const isServed = model.draftAndPublish && listed.length >= (model.localized ? 2 : 1)
  // Ids alone come from the same index.
  if (!isById || !isServed || !others.every(isWide) || (readsIds && others.length === 0)) return []
  const from = { alias: scope.alias(), model }
  const found = where(scope, from, { op: 'and', of: listed })
  const names = [keyOf({ alias, model }), keyOf(from), model.table, from.alias]
  return [sql('?? >= (select ?? from ?? as ?? where ? order by ?? limit 1)', [...names, found, keyOf(from)])]
}
