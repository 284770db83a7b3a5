import type { Order, Step } from '../plan'
import type { Column } from '../schema'

import { column, follow, type Scope } from './scope'
import { all, joined, type Sql, sql } from './sql'
import { where } from './where'

function comparable(scope: Scope, alias: string, { column: name, type }: Column): Sql {
  const value = sql('??', [column(alias, name)])
  return type === 'string' ? scope.dialect.text[scope.matching].ordered(value) : value
}

interface Path {
  readonly tables: Sql
  readonly tie: Sql
  readonly end: string
}

function firstStep(scope: Scope, from: string, step: Step): Path {
  const end = scope.alias()
  const shown = where(scope, end, step.target, step.visible)
  const { tables, tie, conditions } = follow(scope, step.field.link, from, step.target, end, shown)
  return { tables, tie: all([sql('?? = ??', [tie.by, tie.from]), ...conditions]), end }
}

/** A row that leads no further counts as NULL, so the steps after the first are left joins. */
function nextStep(scope: Scope, path: Path, step: Step): Path {
  const { tables, tie, end } = firstStep(scope, path.end, step)
  const { link } = step.field
  const isOneTable = link.via === 'there' && link.ours === 'id'
  const join = isOneTable ? '? left join ? on ?' : '? left join (?) on ?'
  const joinedTables = sql(join, [path.tables, tables, tie])
  return { tables: joinedTables, tie: path.tie, end }
}

/** Through a link that leads to many, an entry is placed by the first of their values. */
function throughSteps(scope: Scope, alias: string, order: Order<never>, direction: string): Sql {
  const [first, ...rest] = order.steps
  if (first === undefined) return comparable(scope, alias, order.column)
  let path = firstStep(scope, alias, first)
  for (const step of rest) path = nextStep(scope, path, step)
  const value = comparable(scope, path.end, order.column)
  const parts = [value, path.tables, path.tie]
  const leadsToOne = order.steps.every(({ field }) => !field.many)
  if (leadsToOne) return sql('(select ? from ? where ? limit 1)', parts)
  return sql(`(select ? from ? where ? order by ? ${direction} limit 1)`, [...parts, value])
}

/** An entry's own id is never NULL, and what is said of NULLs keeps PostgreSQL from using its index. */
function directionOf({ dialect, matching }: Scope, { steps, column: by, direction }: Order<never>): string {
  return steps.length === 0 && by.type === 'id' ? direction : dialect.direction(direction, matching)
}

export function orderBy(scope: Scope, alias: string, orders: readonly Order<never>[]): Sql {
  const keys = orders.map((order) => {
    const direction = directionOf(scope, order)
    return sql(`? ${direction}`, [throughSteps(scope, alias, order, direction)])
  })
  return joined(keys, ', ')
}
