import type { Column, KeyType, Link, Model, WritingFields } from '../schema'
import type { Dialect } from './dialects/dialect'
import { type Matching, all, anyOf, type Notation, type Sql, sql } from './statement'

export const isLookedUp = ({ dialect }: SqlScope, { type }: Pick<Column, 'type'>): boolean =>
  type === 'json' && dialect.sortedJson !== null

/** Column value in a sorting statement, without being part of the sorted rows. */
export function lookedUp(
  scope: SqlScope,
  { alias, model }: NamedRows,
  name: string,
  read: (column: string) => Sql,
): Sql {
  const self = scope.alias()
  const keys = [keyOf({ alias: self, model }), keyOf({ alias, model })]
  return sql('(select ? from ?? as ?? where ?? = ??)', [read(column(self, name)), model.table, self, ...keys])
}

export interface StatementSettings {
  readonly notation: Notation
  readonly dialect: Dialect
  readonly matching: Matching
}

export interface SqlScope extends StatementSettings {
  readonly isInSet: boolean
  readonly isInChain: boolean
  alias(): string
}

export function makeScope({ notation, dialect, matching }: StatementSettings): SqlScope {
  let count = 0
  const alias = (): string => {
    count += 1
    return `t${String(count)}`
  }
  return { notation, dialect, matching, isInSet: false, isInChain: false, alias }
}

export const column = (alias: string, name: string): string => `${alias}.${name}`

/** NULLs are the smallest values where all databases have to sort alike. */
const areNullsLargest = ({ dialect, matching }: SqlScope): boolean =>
  dialect.nullsAre === 'largest' && matching === 'database'

export const areNullsFirst = (scope: SqlScope, direction: 'asc' | 'desc'): boolean =>
  (direction === 'asc') !== areNullsLargest(scope)

export function sortDirection(scope: SqlScope, direction: 'asc' | 'desc'): string {
  if (scope.dialect.nullsAre === 'smallest' || areNullsLargest(scope)) return direction
  return direction === 'asc' ? 'asc nulls first' : 'desc nulls last'
}

export interface NamedRows {
  readonly alias: string
  readonly model: Model
}

export const keyOf = ({ alias, model }: NamedRows): string => column(alias, model.key.column)

/** Keys in the form in which rows show them, so that both sides of a link are equal. */
export function keyValue({ dialect }: SqlScope, name: string, type: KeyType): Sql {
  const value = type === 'string' || type === 'uuid' ? dialect.existing.value(name, 'string') : null
  return value ?? sql('??', [name])
}

/** Value of an attribute, in the form of Strapi's columns. */
export const valueOf = (
  { dialect }: SqlScope,
  alias: string,
  { column: name, type, isExisting }: Pick<Column, 'column' | 'type' | 'isExisting'>,
): Sql => {
  const stored = column(alias, name)
  const value = isExisting === true ? dialect.existing.value(stored, type) : null
  return value ?? sql('??', [stored])
}

export interface LinkTables {
  readonly tables: Sql
  /** Column with the key of the row that the link starts from. */
  readonly tie: string
  /** Column with the editor's order. */
  readonly place: string | null
  readonly conditions: readonly Sql[]
}

export const pairsOfDocument = (table: string, self: string, other: string, join = 'inner join'): Sql =>
  sql(`?? as ?? ${join} ?? as ?? on ?? = ?? and ?? <> ??`, [
    ...[table, self, table, other],
    ...[column(other, 'document_id'), column(self, 'document_id'), column(other, 'id'), column(self, 'id')],
  ])

const isExactly = ({ dialect }: SqlScope, said: Sql, value: string): Sql =>
  dialect.text.exact.equal(said, value)

const ofFields = (scope: SqlScope, fields: readonly string[], field: Sql): Sql =>
  anyOf(fields.map((value) => isExactly(scope, field, value)))

/** Rows of a join table with visible links, of all types. */
export const linksWrittenBy = (
  scope: SqlScope,
  alias: string,
  writtenBy: readonly WritingFields[],
  type: string,
): Sql => {
  const named = (name: string): Sql => scope.dialect.unindexed(column(alias, name))
  return anyOf(
    writtenBy.map((one) =>
      all([isExactly(scope, named(type), one.type), ofFields(scope, one.fields, named('field'))]),
    ),
  )
}

/** Rows of a join table that belong to one link. Ids of several types may be equal. */
export function linkRows(
  scope: SqlScope,
  alias: string,
  link: Exclude<Link, { via: 'here' }>,
  { uid }: Model,
): readonly Sql[] {
  const said = (name: string): Sql => sql('??', [column(alias, name)])
  const fixed = link.fixed.map((one) => sql('? = ?', [said(one.column), one.value]))
  if (link.via !== 'mixed') return fixed
  if (link.writtenBy === undefined) return [...fixed, sql('? = ?', [said(link.type), uid])]
  const fields = link.writtenBy.find(({ type }) => type === uid)?.fields ?? []
  return [isExactly(scope, said(link.type), uid), ofFields(scope, fields, said('field'))]
}

export function follow(
  scope: SqlScope,
  link: Link,
  { to, shown }: { readonly to: NamedRows; readonly shown: Sql },
): LinkTables {
  const { alias, model } = to
  switch (link.via) {
    case 'here':
      throw new Error('a link to rows of any type cannot be part of a condition')
    case 'there': {
      if (link.isOfDocument === true) {
        // The row itself is named again, so that the set does not depend on an outer row.
        const self = scope.alias()
        const tie = keyOf({ alias: self, model })
        return { tables: pairsOfDocument(model.table, self, alias), tie, place: null, conditions: [shown] }
      }
      const tables = sql('?? as ??', [model.table, alias])
      const tie = column(alias, link.theirs)
      return { tables, tie, place: null, conditions: [...linkRows(scope, alias, link, model), shown] }
    }
    case 'between':
    case 'mixed': {
      const via = scope.alias()
      const met = [keyOf(to), column(via, link.theirs)]
      const names = [link.table, via, model.table, alias]
      const tables = sql('?? as ?? inner join ?? as ?? on ?? = ?? and ?', [...names, ...met, shown])
      const tie = column(via, link.ours)
      const place = link.order === null ? null : column(via, link.order)
      return { tables, tie, place, conditions: linkRows(scope, via, link, model) }
    }
  }
}
