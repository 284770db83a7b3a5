import { once } from '../../lib/memory'
import type { ChangedOwner } from './content-change'
import type { TableOwner } from './table-owners'

/** Changed rows of each kind that a returning client can still get. */
const most = 1000

export interface NumberedChange {
  readonly number: number
  readonly id: string
  readonly owners: ReadonlySet<ChangedOwner> | null
}

/** `forgotten`: the last dropped change of each kind, if it is after the place. */
export interface ChangesSince {
  readonly changes: readonly NumberedChange[]
  readonly forgotten: readonly NumberedChange[]
}

export interface RecentChanges {
  readonly add: (change: Omit<NumberedChange, 'owners'>, owners: readonly ChangedOwner[] | null) => void
  readonly since: (number: number) => ChangesSince
}

interface RecentChange extends NumberedChange {
  readonly owners: Set<ChangedOwner> | null
}

/** Changes that are visible to the same roles. */
interface RecentKind {
  readonly kept: { readonly change: RecentChange; readonly owner: ChangedOwner | null }[]
  rows: number
  forgotten: NumberedChange | null
}

type RecentKinds = Map<TableOwner | null, RecentKind>

const rowsOf = (owner: ChangedOwner | null): number => Math.max(owner?.rows.all?.length ?? 1, 1)

/** Splits a change into the rows that all readers of the type see, and drafts. */
function parted({ owner, rows }: ChangedOwner): Readonly<Record<'shown' | 'drafts', ChangedOwner | null>> {
  const { all, published } = rows
  // Changed parts are never listed.
  if (owner.holds === 'parts')
    return { shown: { owner, rows: { ...rows, all: null, published: null } }, drafts: null }
  if (published === null) return { shown: { owner, rows }, drafts: null }
  const shown = published.length === 0 ? null : { owner, rows: { ...rows, all: published } }
  const apart = new Set(published)
  const others = all?.filter((row) => !apart.has(row)) ?? null
  const hasOthers = shown === null || others === null || others.length > 0
  return { shown, drafts: hasOthers ? { owner, rows: { ...rows, all: others, published: [] } } : null }
}

/**
 * Each kind has a limit of its own. With one limit for all, a reset would reveal to a returning client that many hidden
 * rows were written.
 */
export function makeRecentChanges(): RecentChanges {
  const kept = new Map<number, RecentChange>()
  const [shownKinds, draftKinds]: readonly [RecentKinds, RecentKinds] = [new Map(), new Map()]
  let last = 0
  let lastForgotten = 0

  const forgetFirst = (kind: RecentKind): void => {
    const first = kind.kept.shift()
    if (first === undefined) return
    const { change, owner } = first
    kind.rows -= rowsOf(owner)
    kind.forgotten = { ...change, owners: owner === null ? null : new Set([owner]) }
    lastForgotten = Math.max(lastForgotten, change.number)
    if (owner !== null) change.owners?.delete(owner)
    if (change.owners === null || change.owners.size === 0) kept.delete(change.number)
  }
  const addTo = (kinds: RecentKinds, change: RecentChange, owner: ChangedOwner | null): void => {
    const kind = once(kinds, owner?.owner ?? null, () => ({ kept: [], rows: 0, forgotten: null }))
    kind.kept.push({ change, owner })
    kind.rows += rowsOf(owner)
    if (owner !== null) change.owners?.add(owner)
    while (kind.rows > most) forgetFirst(kind)
  }
  const forgottenSince = (number: number): readonly NumberedChange[] =>
    lastForgotten <= number
      ? []
      : [...shownKinds.values(), ...draftKinds.values()].flatMap(({ forgotten }) =>
          forgotten !== null && forgotten.number > number ? [forgotten] : [],
        )

  /** After a long absence, fewer changes are stored than were numbered, and iterating the stored ones is faster. */
  function* recentSince(number: number): Generator<NumberedChange> {
    if (last - number > kept.size) {
      for (const change of kept.values()) if (change.number > number) yield change
      return
    }
    for (let next = number + 1; next <= last; next += 1) {
      const change = kept.get(next)
      if (change !== undefined) yield change
    }
  }

  return {
    add: (numbered, owners) => {
      const change = { ...numbered, owners: owners === null ? null : new Set<ChangedOwner>() }
      kept.set(change.number, change)
      last = change.number
      if (owners === null) addTo(shownKinds, change, null)
      for (const owner of owners ?? []) {
        const { shown, drafts } = parted(owner)
        if (shown !== null) addTo(shownKinds, change, shown)
        if (drafts !== null) addTo(draftKinds, change, drafts)
      }
    },
    since: (number) => ({ changes: [...recentSince(number)], forgotten: forgottenSince(number) }),
  }
}
