import type { Knex } from 'knex'
import type { Link, Model } from '../schema'
import type { Dialect, Matching, Sql } from './dialect'

/** What is needed to write SQL, and names for the tables in it. */
export interface Scope {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly matching: Matching
  /** An alias that no other table of the statement has. */
  alias(): string
}

export function makeScope(knex: Knex, dialect: Dialect, matching: Matching): Scope {
  let count = 0
  const alias = (): string => {
    count += 1
    return `t${String(count)}`
  }
  return { knex, dialect, matching, alias }
}

export function joined(knex: Knex, parts: readonly Sql[], separator: string): Sql {
  return knex.raw(parts.map(() => '?').join(separator), [...parts])
}

export function all(knex: Knex, parts: readonly Sql[]): Sql {
  return parts.length === 0 ? knex.raw('1 = 1') : joined(knex, parts, ' and ')
}

export const column = (alias: string, name: string): string => `${alias}.${name}`

interface Linked {
  /** The tables that the link leads through, to be put behind `from` or `join`. */
  readonly tables: Sql
  /** What ties them to the row that the link starts from. */
  readonly tie: Sql
}

function fixed(knex: Knex, alias: string, link: Exclude<Link, { via: 'here' }>): Sql[] {
  return link.fixed.map(({ column: name, value }) => knex.raw('?? = ?', [column(alias, name), value]))
}

/** Follows one link inside a statement, from the row that `from` names to rows of `target` named `to`. */
export function follow(scope: Scope, link: Link, from: string, target: Model, to: string, shown: Sql): Linked {
  const { knex } = scope
  switch (link.via) {
    case 'here':
      throw new Error('a link to rows of any type cannot be part of a condition')
    case 'there': {
      const tie = knex.raw('?? = ??', [column(to, link.theirs), column(from, link.ours)])
      const others = link.ours === 'id' ? [] : [knex.raw('?? <> ??', [column(to, 'id'), column(from, 'id')])]
      const tables = knex.raw('?? as ??', [target.table, to])
      return { tables, tie: all(knex, [tie, ...others, ...fixed(knex, to, link), shown]) }
    }
    case 'between':
    case 'mixed': {
      const via = scope.alias()
      const tables = knex.raw('?? as ?? inner join ?? as ?? on ?? = ?? and ?', [
        link.table,
        via,
        target.table,
        to,
        column(to, 'id'),
        column(via, link.theirs),
        shown,
      ])
      const tie = knex.raw('?? = ??', [column(via, link.ours), column(from, 'id')])
      return { tables, tie: all(knex, [tie, ...fixed(knex, via, link)]) }
    }
  }
}
