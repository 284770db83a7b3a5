import type { Level } from '../plan'
import type { Row } from './dialect'
import { type TargetGroup, isToOne } from './signature'
import { mayBeJoined, type Parents } from './joined-read'
import { addOnce, isHeldThere, linkConditions, type LinkReading, type Refs } from './link-statements'
import { column, type SqlScope } from './sql-scope'
import type { Selection } from './selection'
import { all, type Sql, sql, type Positions } from './sql'
import { where } from './where'

/** What a row leads to one of comes along in the row itself, behind its own columns: no statement, no ids to send. */
export interface InlineTarget {
  readonly by: 'rows'
  /** The branch of the rows above that leads here. */
  readonly branch: number
  readonly reading: LinkReading
  readonly selection: Selection
  /** Where it begins behind the own columns of the rows above. */
  readonly at: number
  /** Its own columns, what comes along with it, and its place among those that the row above leads to. */
  readonly width: number
}

export interface InlineParent {
  readonly level: Level<never>
  readonly targets: readonly InlineChild[]
}

interface InlineChild extends InlineParent {
  readonly found: InlineTarget | { readonly by: 'ids' | 'links' }
}

/** Databases try orders of the tables that a statement joins, which takes its time with many. */
const mostInlineTargets = 4

/** Room in one statement, to be taken for all or for none. */
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

/** Where a list leads to the same it is read in any case. Of several links all the same, the target's own order decides. */
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

/** The columns of what comes along. */
export const shownAlong = (targets: InlineParent['targets']): readonly Positions[] =>
  targets.flatMap(({ found, targets: below }) =>
    found.by === 'rows' ? [found.selection.positions, ...shownAlong(below)] : [],
  )

export interface InlineParts {
  readonly columns: readonly Sql[]
  /** To be put behind what the statement reads from. */
  readonly joins: readonly Sql[]
}

const none: InlineParts = { columns: [], joins: [] }

const leftJoin = (table: string, as: string, on: readonly Sql[]): Sql =>
  sql('left join ?? as ?? on ?', [table, as, all(on)])

interface InlineJoins {
  readonly joins: readonly Sql[]
  /** Whose columns hold the link. */
  readonly via: string
}

function joinsTo(
  scope: SqlScope,
  above: string,
  to: string,
  { model, where: shown }: Level<never>,
  reading: LinkReading,
): InlineJoins {
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
  if (found.by !== 'rows') return none
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

/** What comes along with the rows that `above` names. */
export function inlineParts(scope: SqlScope, above: string, targets: InlineParent['targets']): InlineParts {
  const guests = targets.map((target) => inlinePart(scope, above, target))
  return { columns: guests.flatMap(({ columns }) => columns), joins: guests.flatMap(({ joins }) => joins) }
}

/** Takes the rows of a target out of those above, of which each may come several times, and ties them to them. */
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
