import {
  type CompiledLevel,
  type CompiledTarget,
  noRefs,
  type Refs,
  type Row,
  type Statement,
  takeInlineRows,
  type CompiledBranch,
  type Ref,
  positionOf,
  shownName,
} from '../compile'
import type { Level } from '../plan'
import type { CountRows, Head, Heads, LevelRows, Child } from './level-rows'

/** Runs a statement, with these ids filled in. */
export type Run = (statement: Statement, ids?: readonly unknown[]) => Promise<readonly Row[]>

/**
 * How many ids one statement names. Every database takes them as one value, so this bounds the size of a packet
 * rather than a number of variables.
 */
const chunkSize = 10_000

function chunks(ids: readonly unknown[]): (readonly unknown[])[] {
  if (ids.length <= chunkSize) return [ids]
  const cut: (readonly unknown[])[] = []
  for (let start = 0; start < ids.length; start += chunkSize) cut.push(ids.slice(start, start + chunkSize))
  return cut
}

async function runInChunks(run: Run, statement: Statement, ids: readonly unknown[]): Promise<readonly Row[]> {
  if (ids.length === 0) return []
  const [first = [], ...rest] = await Promise.all(chunks(ids).map((chunk) => run(statement, chunk)))
  return rest.length === 0 ? first : first.concat(...rest)
}

/** Rows that are put in order by the database are asked for in one go: pieces would each have an order of their own. */
function readTarget(
  run: Run,
  level: Level<never>,
  select: Statement,
  ids: readonly unknown[],
): Promise<readonly Row[]> {
  if (level.order.length === 0) return runInChunks(run, select, ids)
  return ids.length === 0 ? Promise.resolve([]) : run(select, ids)
}

/** Our row holds the key: nothing to read. */
function refsInRows(
  { branches, positions }: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
): void {
  branches.forEach(({ branch }, index) => {
    const { link } = branch.field
    if (link.via !== 'here') return
    const key = positionOf(positions, link.key)
    const type = positionOf(positions, link.type)
    for (const row of rows) {
      if (row[key] === null) continue
      refs[index]?.lists.set(Number(row[0]), [{ id: Number(row[key]), type: String(row[type]), place: 0 }])
    }
  })
}

/** Which rows of a level show where this branch leads; null where all do. */
function isShownBy({ positions }: CompiledLevel, { branch }: CompiledBranch): ((row: Row) => boolean) | null {
  const { shownIn } = branch.field
  if (shownIn === undefined) return null
  const at = positionOf(positions, shownName(shownIn))
  return (row) => Number(row[at]) === 1
}

/** Nothing is read, nor counted, of what a row does not show. */
function dropUnshown(level: CompiledLevel, rows: readonly Row[], refs: readonly Refs[]): void {
  level.branches.forEach((branch, index) => {
    const isShown = isShownBy(level, branch)
    if (isShown === null) return
    for (const row of rows) if (!isShown(row)) refs[index]?.lists.delete(Number(row[0]))
  })
}

/** The place of the type that a link leads to, among the level's targets. */
function targetOf({ targets }: CompiledBranch, { type }: Ref): number | undefined {
  if (type !== null) return (targets as ReadonlyMap<string, number>).get(type)
  const [only] = targets.values()
  return only
}

/** By target; what is not read by its ids is not looked at. */
function idsByTarget(level: CompiledLevel, refs: readonly Refs[]): readonly ReadonlySet<number>[] {
  const wanted = level.targets.map(() => new Set<number>())
  const byIds = new Set(level.targets.flatMap(({ found }, index) => (found.by === 'ids' ? [index] : [])))
  level.branches.forEach((branch, index) => {
    if (![...branch.targets.values()].some((target) => byIds.has(target))) return
    for (const list of refs[index]?.lists.values() ?? []) {
      for (const ref of list) {
        const target = targetOf(branch, ref)
        if (target !== undefined) wanted[target]?.add(ref.id)
      }
    }
  })
  return wanted
}

/** Reads all links of a level but those that come with their targets, and tells which ids they name of each target. */
async function readRefs(
  run: Run,
  level: CompiledLevel,
  { rows, ids }: { readonly rows: readonly Row[]; readonly ids: readonly number[] },
  refs: readonly Refs[],
): Promise<readonly ReadonlySet<number>[]> {
  refsInRows(level, rows, refs)
  await Promise.all(
    level.links.map(async ({ statement, collect }) => {
      for (const row of await runInChunks(run, statement, ids)) collect(row, refs)
    }),
  )
  dropUnshown(level, rows, refs)
  return idsByTarget(level, refs)
}

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
interface LoadedTarget {
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
function childrenByRow(
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

function totalsByRow(level: CompiledLevel, rows: readonly Row[], refs: readonly Refs[]): LevelRows['totals'] {
  return level.branches.map(({ branch: { page } }, index) =>
    page?.withCount === true ? rows.map((row) => refs[index]?.totals.get(Number(row[0])) ?? 0) : null,
  )
}

/** What rows are read with, and who counts them. */
interface Expanding {
  readonly run: Run
  readonly count: CountRows
}

interface Following extends Expanding {
  readonly level: CompiledLevel
  readonly read: FollowedRows
  readonly heads: LevelRows['heads']
  readonly ids: readonly number[]
  readonly refs: readonly Refs[]
  /** The ids that links name of each target, once these have been read. */
  readonly linked: ReturnType<typeof readRefs>
}

/** What was read of a level already, and of which ids nothing was. */
function sortOut(
  { rows, places }: FollowedRows,
  wanted: ReadonlySet<number>,
  heads: Heads,
): { readonly known: readonly Row[]; readonly ids: readonly number[] } {
  const known: Row[] = []
  const ids: number[] = []
  for (const id of wanted) {
    const row = rows[places.get(id) ?? -1]
    if (row === undefined) ids.push(id)
    else {
      known.push(row)
      if (!heads.has(row)) heads.set(row, {})
    }
  }
  return { known, ids }
}

async function readByIds(
  { run, level, read, heads, linked }: Following,
  target: CompiledTarget,
  select: Statement,
  index: number,
): Promise<FollowedRows> {
  const wanted = (await linked)[index] ?? new Set()
  if (heads === null || !level.again.has(target)) {
    return eachOnce(await readTarget(run, target.level, select, [...wanted]))
  }
  const { known, ids } = sortOut(read, wanted, heads)
  const found = await readTarget(run, target.level, select, ids)
  return eachOnce([...known, ...found], heads)
}

async function read(following: Following, target: CompiledTarget, index: number): Promise<FollowedRows> {
  const { run, level, read, refs } = following
  const { found } = target
  switch (found.by) {
    case 'rows':
      return eachOnce(takeInlineRows(found, level.positions.size, read.found, refs))
    case 'links': {
      const rows = await readTarget(run, target.level, found.select, following.ids)
      for (const row of rows) found.collect(row, refs)
      return eachOnce(rows)
    }
    case 'ids':
      return readByIds(following, target, found.select, index)
  }
}

/** What is merely counted is read without its attributes, and shown as one number. */
const shareOfCounted = 1 / 10

const isShown = ({ branches }: CompiledLevel, index: number): boolean =>
  branches.some(({ branch, targets }) => branch.answer === 'entries' && [...targets.values()].includes(index))

async function loadTarget(
  following: Following,
  target: CompiledTarget,
  index: number,
): Promise<LoadedTarget> {
  const found = await read(following, target, index)
  following.count(found.rows.length * (isShown(following.level, index) ? 1 : shareOfCounted))
  return { rows: await expand(following, target, found), places: found.places }
}

/**
 * Loads what the branches of a level lead to: first all its links, then every type that they lead to, once, and so on
 * from there. How many statements that takes depends on the plan alone.
 */
export async function expand(
  { run, count }: Expanding,
  level: CompiledLevel,
  read: FollowedRows,
): Promise<LevelRows> {
  const { rows } = read
  const heads = read.heads ?? (level.again.size > 0 ? new Map<Row, Head>() : null)
  const own = { of: level, rows: [...rows], ways: rows.map(() => 0), written: { v5: [], v4: [] }, heads }
  if (level.branches.length === 0) return { ...own, children: [], totals: [] }
  const refs: readonly Refs[] = level.branches.map(noRefs)
  const ids = [...read.places.keys()]
  const linked = readRefs(run, level, { rows, ids }, refs)
  const following = { run, count, level, read, heads, ids, refs, linked }
  const [loaded] = await Promise.all([
    Promise.all(level.targets.map((target, index) => loadTarget(following, target, index))),
    linked,
  ])
  const children = childrenByRow(level, rows, refs, loaded)
  return { ...own, children, totals: totalsByRow(level, rows, refs) }
}
