import type { Link, Model, Untold } from '../schema'
import type { Dialect } from './dialect'
import type { Matching } from './text-matching'
import { type Notation, type Sql, sql } from './sql'

/** What is needed to write SQL, and names for the tables in it. */
export interface SqlScope {
  readonly notation: Notation
  readonly dialect: Dialect
  readonly matching: Matching
  /** How many statements this one is nested in. */
  readonly depth: number
  /** Through how many links conditions may still lead in what the optimizer is given at a time, and how many in a row. */
  readonly room: number
  readonly levels: number
  /** Whether this is part of a chain that is worked out link by link. */
  readonly isFar: boolean
  /** Whether this is one of several ways for a row to be found, which leaves nothing of it to a join. */
  readonly isChoice: boolean
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
  const { links: room, levels } = dialect.atOnce
  return { notation, dialect, matching, depth: 0, room, levels, isFar: false, isChoice: false, alias }
}

export const column = (alias: string, name: string): string => `${alias}.${name}`

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

function fixed(alias: string, link: Exclude<Link, { via: 'here' }>): Sql[] {
  return link.fixed.map(({ column: name, value }) => sql('?? = ?', [column(alias, name), value]))
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

/** Leaves out the rows of a join table that tell of private attributes. */
export function withoutUntold(alias: string, untold: readonly Untold[] = []): Sql[] {
  return untold.map(({ type, field }) => {
    const [ofType, ofField] = [column(alias, type.column), column(alias, field.column)]
    return sql('(?? <> ? or ?? is null or ?? <> ?)', [ofType, type.value, ofField, ofField, field.value])
  })
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
      return { tables, tie, conditions: [...fixed(alias, link), shown] }
    }
    case 'between':
    case 'mixed': {
      const via = scope.alias()
      // A table of links to rows of several types: their ids alone do not tell these apart.
      const ofType =
        link.via === 'between'
          ? []
          : [sql('?? = ?', [column(via, link.type), model.uid]), ...withoutUntold(via, link.untold)]
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
      return { tables, tie, conditions: [...fixed(via, link), ...ofType] }
    }
  }
}
