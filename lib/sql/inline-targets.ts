import type { Level } from '../plan'
import type { Row } from './dialects/dialect'
import { type TargetGroup, isToOne } from './signature'
import { mayBeJoined, type Parents } from './joined-read'
import { addOnce, isHeldThere, linkConditions, type LinkReading, type Refs } from './link-statements'
import { column, type SqlScope } from './sql-scope'
import type { Selection } from './selection'
import { all, type Sql, sql, type Positions } from './statement'
import { where } from './where'

/** Target of a to-one link, read in the row of the parent, behind its columns: no statement and no ids of its own. */
export interface InlineTarget {
  readonly by: 'rows'
  /** Index of a branch of the parent. */
  readonly branch: number
  readonly reading: LinkReading
  readonly selection: Selection
  /** Offset behind the parent's own columns. */
  readonly at: number
  /** Own columns, those of inlined targets below, and the place of the link. */
  readonly width: number
}

export interface InlineParent {
  readonly level: Level<never>
  readonly targets: readonly InlineChild[]
}

interface InlineChild extends InlineParent {
  readonly found: InlineTarget | { readonly by: 'ids' | 'links' }
}

/** Databases try orders of joined tables, which is slow for many. */
const mostInlineTargets = 4

/** Number of inlined targets left in one statement. */
export interface JoinBudget {
  take(count: number): boolean
}

export function makeJoinBudget(): JoinBudget {
  let taken = 0
  return {
    take: (count) => {
      if (taken + count > mostInlineTargets) return false
      taken += count
      return true
    },
  }
}

/** Of several links to one entry, the target's own order decides. */
export function mayBeInline(host: Level<never>, aim: TargetGroup, from: Parents): boolean {
  const { level, ways } = aim
  if (level.order.length > 0 || !isToOne(aim, host)) return false
  return ways.every(({ branch: index }) => {
    const branch = host.branches[index]
    return branch !== undefined && branch.field.link.via !== 'mixed' && mayBeJoined(branch, level, from)
  })
}

export const widthOf = (targets: InlineParent['targets']): number =>
  targets.reduce((sum, { found }) => sum + (found.by === 'rows' ? found.width : 0), 0)

export const shownAlong = (targets: InlineParent['targets']): readonly Positions[] =>
  targets.flatMap(({ found, targets: below }) =>
    found.by === 'rows' ? [found.selection.positions, ...shownAlong(below)] : [],
  )

export interface InlineParts {
  readonly columns: readonly Sql[]
  readonly joins: readonly Sql[]
}

const leftJoin = (table: string, as: string, on: readonly Sql[]): Sql =>
  sql('left join ?? as ?? on ?', [table, as, all(on)])

/** `via`: alias of the table with the link. */
function joinsTo(
  scope: SqlScope,
  above: string,
  to: string,
  { model, where: shown }: Level<never>,
  reading: LinkReading,
): { readonly via: string; readonly joins: readonly Sql[] } {
  const link = (via: string): readonly Sql[] => [
    sql('?? = ??', [column(via, reading.ours), column(above, 'id')]),
    ...linkConditions(scope, via, reading),
  ]
  const isShown = scope.dialect.onOuter(where(scope, { alias: to, model }, shown))
  if (isHeldThere(reading, model)) {
    return { via: to, joins: [leftJoin(model.table, to, [...link(to), isShown])] }
  }
  const via = scope.alias()
  const isTheirs = sql('?? = ??', [column(to, 'id'), column(via, reading.theirs)])
  return {
    via,
    joins: [leftJoin(reading.table, via, link(via)), leftJoin(model.table, to, [isTheirs, isShown])],
  }
}

function inlinePart(scope: SqlScope, above: string, { level, found, targets }: InlineChild): InlineParts {
  if (found.by !== 'rows') return { columns: [], joins: [] }
  const { reading, selection } = found
  const to = scope.alias()
  const { via, joins } = joinsTo(scope, above, to, level, reading)
  const place = reading.order === null ? sql('null') : sql('??', [column(via, reading.order)])
  const below = inlineParts(scope, to, targets)
  return {
    columns: [selection.list(scope, to, false), ...below.columns, place],
    joins: [...joins, ...below.joins],
  }
}

export function inlineParts(scope: SqlScope, above: string, targets: InlineParent['targets']): InlineParts {
  const guests = targets.map((target) => inlinePart(scope, above, target))
  return { columns: guests.flatMap(({ columns }) => columns), joins: guests.flatMap(({ joins }) => joins) }
}

/** Cuts the rows of a target out of the parent's rows, where each may occur several times, and links them. */
export function takeInlineRows(
  { branch, at, width }: InlineTarget,
  begin: number,
  rows: readonly Row[],
  refs: readonly Refs[],
): readonly Row[] {
  const from = begin + at
  const into = refs[branch]
  const taken: Row[] = []
  for (const row of rows) {
    const id = row[from]
    if (id === null || into === undefined) continue
    const place = Number(row[from + width - 1])
    addOnce(into, Number(row[0]), { id: Number(id), type: null, place })
    taken.push(row.slice(from, from + width))
  }
  return taken
}
