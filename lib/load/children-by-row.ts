import type { CompiledBranch, CompiledLevel, Ref, Refs, Row } from '../compile'
import { isShownBy, targetOf } from './read-refs'
import type { Child, LevelRows } from './level-rows'

/** The rows of a level, each once, and as they were read: once for every row that leads there or that comes along. */
export interface FollowedRows {
  readonly rows: readonly Row[]
  readonly places: LoadedTarget['places']
  readonly found: readonly Row[]
  readonly heads: LevelRows['heads']
}

export function eachOnce(found: readonly Row[], heads: LevelRows['heads'] = null): FollowedRows {
  const places = new Map<number, number>()
  const rows: Row[] = []
  for (const row of found) {
    const id = Number(row[0])
    if (places.has(id)) continue
    places.set(id, rows.length)
    rows.push(row)
  }
  return { rows, places, found, heads }
}

/** The rows of a target, and the place of each by its id. */
export interface LoadedTarget {
  readonly rows: LevelRows
  readonly places: ReadonlyMap<number, number>
}

/** In the end by type: what statements bring comes in the order in which they happen to end. */
function byPlace(one: Ref, other: Ref): number {
  if (one.place !== other.place) return one.place < other.place ? -1 : 1
  if (one.id !== other.id || one.type === other.type) return one.id - other.id
  return (one.type ?? '') < (other.type ?? '') ? -1 : 1
}

function childOf(branch: CompiledBranch, ref: Ref, loaded: readonly LoadedTarget[]): Child | null {
  const target = targetOf(branch, ref)
  if (target === undefined) {
    if (branch.branch.unlisted === 'omit' || ref.type === null) return null
    return { in: null, at: ref.id, type: ref.type }
  }
  const { rows, places } = loaded[target] ?? {}
  const at = places?.get(ref.id)
  if (rows === undefined || at === undefined) return null
  rows.ways[at] = (rows.ways[at] ?? 0) + 1
  return { in: rows, at }
}

/** Most come as the editor put them, and looking costs less than sorting. */
function inPlace(list: Ref[]): readonly Ref[] {
  for (let index = 1; index < list.length; index += 1) {
    const before = list[index - 1]
    const here = list[index]
    if (before !== undefined && here !== undefined && byPlace(before, here) > 0) return list.sort(byPlace)
  }
  return list
}

type FindChild = (ref: Ref) => Child | null

/** In the order that was asked for, which is that of the loaded rows; else as the editor put them. */
function childrenOf(list: Ref[], sorted: boolean, find: FindChild): readonly Child[] {
  const children: Child[] = []
  for (const ref of sorted ? list : inPlace(list)) {
    const child = find(ref)
    if (child !== null) children.push(child)
  }
  return sorted ? children.sort((one, other) => one.at - other.at) : children
}

const none: readonly Child[] = []

/** What the rows of a level lead to, by branch and row. */
export function childrenByRow(
  level: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
  loaded: readonly LoadedTarget[],
): LevelRows['children'] {
  return level.branches.map((branch, index) => {
    const [target] = branch.targets.values()
    const sorted = target !== undefined && (level.targets[target]?.level.order.length ?? 0) > 0
    const find: FindChild = (ref) => childOf(branch, ref, loaded)
    const lists = refs[index]?.lists
    const isShown = isShownBy(level, branch)
    return rows.map((row) => {
      if (isShown?.(row) === false) return null
      const list = lists?.get(Number(row[0]))
      return list === undefined ? none : childrenOf(list, sorted, find)
    })
  })
}

export function totalsByRow(
  level: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
): LevelRows['totals'] {
  return level.branches.map(({ branch: { page } }, index) =>
    page?.withCount === true ? rows.map((row) => refs[index]?.totals.get(Number(row[0])) ?? 0) : null,
  )
}
