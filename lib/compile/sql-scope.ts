import type { Fixed, Link, Model, ToldFields, Column } from '../schema'
import { type Dialect, named } from './dialect'
import { type Matching, all, anyOf, type Notation, type Sql, sql } from './sql'

/** Whether a column has to be looked up where rows are sorted. */
export const isLookedUp = ({ dialect }: SqlScope, { type }: Pick<Column, 'type'>): boolean =>
  type === 'json' && dialect.sortedJson !== null

/** What is read of a row's column in a statement that sorts the rows, without the column being one of what it sorts. */
export function lookedUp(
  scope: SqlScope,
  { alias, table }: { readonly alias: string; readonly table: string },
  name: string,
  read: (column: string) => Sql,
): Sql {
  const self = scope.alias()
  const keys = [column(self, 'id'), column(alias, 'id')]
  return sql('(select ? from ?? as ?? where ?? = ??)', [read(column(self, name)), table, self, ...keys])
}

/** A column of a row as it is stored, looked up where it has to be. */
export const storedIn = (
  scope: SqlScope,
  rows: { readonly alias: string; readonly table: string },
  own: Pick<Column, 'column' | 'type'>,
): Sql =>
  isLookedUp(scope, own) ? lookedUp(scope, rows, own.column, named) : named(column(rows.alias, own.column))

/** What is needed to write SQL, and names for the tables in it. */
export interface SqlScope {
  readonly notation: Notation
  readonly dialect: Dialect
  readonly matching: Matching
  /** Whether this is part of a set. */
  readonly isInSet: boolean
  /** Whether it is part of a long chain of links. */
  readonly isInChain: boolean
  /** An alias that no other table of the statement has. */
  alias(): string
}

export function makeScope({
  notation,
  dialect,
  matching,
}: Pick<SqlScope, 'notation' | 'dialect' | 'matching'>): SqlScope {
  let count = 0
  const alias = (): string => {
    count += 1
    return `t${String(count)}`
  }
  return { notation, dialect, matching, isInSet: false, isInChain: false, alias }
}

export const column = (alias: string, name: string): string => `${alias}.${name}`

/** Whether a database sorts NULLs as the largest of all, and may. Where orders are the same on all, NULLs are the smallest. */
const areNullsLargest = ({ dialect, matching }: SqlScope): boolean =>
  dialect.nullsAre === 'largest' && matching === 'database'

export const areNullsFirst = (scope: SqlScope, direction: 'asc' | 'desc'): boolean =>
  (direction === 'asc') !== areNullsLargest(scope)

/** A direction that puts NULLs there, said where the database would not. */
export function sortDirection(scope: SqlScope, direction: 'asc' | 'desc'): string {
  if (scope.dialect.nullsAre === 'smallest' || areNullsLargest(scope)) return direction
  return direction === 'asc' ? 'asc nulls first' : 'desc nulls last'
}

/** The column of the row that a link starts from, and the one that holds the same value where it leads. */
export interface Tie {
  readonly from: string
  readonly by: string
}

/** The rows of a model's table, under the name that a statement gives them. */
export interface NamedRows {
  readonly alias: string
  readonly model: Model
}

/** From the row of a name to rows of another, as far as these are shown. */
interface LinkEnds {
  readonly from: string
  readonly to: NamedRows
  readonly shown: Sql
}

export interface LinkTables {
  /** The tables that the link leads through, to be put behind `from` or `join`. */
  readonly tables: Sql
  readonly tie: Tie
  readonly conditions: readonly Sql[]
}

/** The other locales of a document are not the row itself, which is named once more so that what is found depends on no row outside. */
function otherLocales(scope: SqlScope, { from, to: { alias: to, model }, shown }: LinkEnds): LinkTables {
  const { table } = model
  const self = scope.alias()
  const tables = sql('?? as ?? inner join ?? as ?? on ?? = ?? and ?? <> ??', [
    ...[table, self, table, to],
    ...[column(to, 'document_id'), column(self, 'document_id'), column(to, 'id'), column(self, 'id')],
  ])
  return { tables, tie: { from: column(from, 'id'), by: column(self, 'id') }, conditions: [shown] }
}

/** That a table of links says this of a row. */
export const isFixed = (said: Sql, { value }: Pick<Fixed, 'value'>): Sql => sql('? = ?', [said, value])

/** That it says just this, and not what a collation finds equal. */
const isExactly = ({ dialect }: SqlScope, said: Sql, value: string): Sql =>
  dialect.text.exact.equal(said, value)

/** The rows of a table of links that belong to attributes of these names. */
const ofFields = (scope: SqlScope, fields: readonly string[], field: Sql): Sql =>
  anyOf(fields.map((value) => isExactly(scope, field, value)))

/** The rows of a table of links that are told of, whichever type they lead to. */
export const toldLinks = (scope: SqlScope, alias: string, told: readonly ToldFields[], type: string): Sql => {
  const named = (name: string): Sql => scope.dialect.unindexed(column(alias, name))
  return anyOf(
    told.map((one) =>
      all([isExactly(scope, named(type), one.type), ofFields(scope, one.fields, named('field'))]),
    ),
  )
}

/** The rows of a table of links that belong to one link. Of several types their ids alone do not tell these apart. */
export function linkRows(
  scope: SqlScope,
  alias: string,
  link: Exclude<Link, { via: 'here' }>,
  { uid }: Model,
): readonly Sql[] {
  const said = (name: string): Sql => sql('??', [column(alias, name)])
  const fixed = link.fixed.map((one) => isFixed(said(one.column), one))
  if (link.via !== 'mixed') return fixed
  if (link.told === undefined) return [...fixed, sql('? = ?', [said(link.type), uid])]
  const fields = link.told.find(({ type }) => type === uid)?.fields ?? []
  return [isExactly(scope, said(link.type), uid), ofFields(scope, fields, said('field'))]
}

/** Follows one link inside a statement. */
export function follow(scope: SqlScope, link: Link, ends: LinkEnds): LinkTables {
  const { from, to, shown } = ends
  const { alias, model } = to
  switch (link.via) {
    case 'here':
      throw new Error('a link to rows of any type cannot be part of a condition')
    case 'there': {
      if (link.ours === 'document_id') return otherLocales(scope, ends)
      const tables = sql('?? as ??', [model.table, alias])
      const tie = { from: column(from, link.ours), by: column(alias, link.theirs) }
      return { tables, tie, conditions: [...linkRows(scope, alias, link, model), shown] }
    }
    case 'between':
    case 'mixed': {
      const via = scope.alias()
      const met = [column(alias, 'id'), column(via, link.theirs)]
      const tables = sql('?? as ?? inner join ?? as ?? on ?? = ?? and ?', [
        link.table,
        via,
        model.table,
        alias,
        ...met,
        shown,
      ])
      const tie = { from: column(from, 'id'), by: column(via, link.ours) }
      return { tables, tie, conditions: linkRows(scope, via, link, model) }
    }
  }
}
