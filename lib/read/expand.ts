import {
  compareKeys,
  type CompiledLevel,
  type CompiledTarget,
  keyReader,
  noRefs,
  type Refs,
  type RowKey,
  type Row,
  type Statement,
  takeInlineRows,
  type CompiledBranch,
  type Ref,
  positionOf,
  shownName,
} from '../sql'

/** Gets the number of rows that were read and will be shown, and throws once there are too many. */
export type CountRows = (rows: number) => void

export interface LevelRows {
  readonly of: CompiledLevel
  /** Null for a row that was written for the last time: memory is released early. */
  readonly rows: (Row | null)[]
  /** Number of entries that lead to each row; 0 for rows of the page itself. */
  readonly ways: number[]
  /** By branch, then by row; null where the row does not show its children. */
  readonly children: readonly (readonly (readonly Child[] | null)[])[]
  /** Totals of paged children, by branch, then by row. Null for branches without a count. */
  readonly totals: readonly (readonly number[] | null)[]
  /** Text of each row that several lead to, by format. A map beside the rows costs much garbage collection. */
  readonly written: { readonly v5: string[]; readonly v4: string[] }
  /** Rows of several levels, and the text of their own columns. */
  readonly heads: Map<Row, { v5?: string; v4?: string }> | null
}

export type Child =
  | { readonly in: LevelRows; readonly at: number }
  /** An unlisted element of a zone, of which only the type is shown. `at`: its id. */
  | { readonly in: null; readonly at: number; readonly type: string }

export type Run = (statement: Statement, ids?: readonly unknown[]) => Promise<readonly Row[]>

/** Ids of one statement. They are one binding in every database, so this bounds the size of a packet. */
const chunkSize = 10_000

/** `isSorted`: rows are read at once, because every chunk would have an order of its own. */
async function runInChunks(
  run: Run,
  statement: Statement,
  ids: readonly unknown[],
  isSorted = false,
): Promise<readonly Row[]> {
  if (ids.length === 0) return []
  if (isSorted || ids.length <= chunkSize) return run(statement, ids)
  const chunks: Promise<readonly Row[]>[] = []
  for (let start = 0; start < ids.length; start += chunkSize)
    chunks.push(run(statement, ids.slice(start, start + chunkSize)))
  const [first = [], ...rest] = await Promise.all(chunks)
  return first.concat(...rest)
}

function refsInRows(
  { level: { model }, branches, positions }: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
): void {
  const ownKey = keyReader(model)
  for (const [index, { branch }] of branches.entries()) {
    const { link } = branch.field
    if (link.via !== 'here') continue
    const key = positionOf(positions, link.key)
    const type = positionOf(positions, link.type)
    for (const row of rows) {
      if (row[key] === null) continue
      refs[index]?.lists.set(ownKey(row[0]), [{ id: Number(row[key]), type: String(row[type]), place: 0 }])
    }
  }
}

/** True for rows that show the branch; null if all do. */
function isShownBy({ positions }: CompiledLevel, { branch }: CompiledBranch): ((row: Row) => boolean) | null {
  const { shownIn } = branch.field
  if (shownIn === undefined) return null
  const at = positionOf(positions, shownName(shownIn))
  return (row) => Number(row[at]) === 1
}

function targetOf({ targets }: CompiledBranch, { type }: Ref): number | undefined {
  if (type !== null) return (targets as ReadonlyMap<string, number>).get(type)
  const [only] = targets.values()
  return only
}

function idsByTarget(level: CompiledLevel, refs: readonly Refs[]): readonly ReadonlySet<RowKey>[] {
  if (level.targets.every(({ found }) => found.by !== 'ids')) return []
  const wanted = level.targets.map(() => new Set<RowKey>())
  for (const [index, branch] of level.branches.entries())
    for (const list of refs[index]?.lists.values() ?? [])
      for (const ref of list) {
        const target = targetOf(branch, ref)
        if (target !== undefined) wanted[target]?.add(ref.id)
      }
  return wanted
}

async function readRefs(
  run: Run,
  level: CompiledLevel,
  { rows, ids }: { readonly rows: readonly Row[]; readonly ids: readonly RowKey[] },
  refs: readonly Refs[],
): Promise<readonly ReadonlySet<RowKey>[]> {
  const ownKey = keyReader(level.level.model)
  refsInRows(level, rows, refs)
  await Promise.all(
    level.links.map(async ({ statement, collect }) => {
      for (const row of await runInChunks(run, statement, ids)) collect(row, refs)
    }),
  )
  for (const [index, branch] of level.branches.entries()) {
    const isShown = isShownBy(level, branch)
    if (isShown === null) continue
    for (const row of rows) if (!isShown(row)) refs[index]?.lists.delete(ownKey(row[0]))
  }
  return idsByTarget(level, refs)
}

interface LoadedTarget {
  readonly rows: LevelRows
  readonly places: ReadonlyMap<RowKey, number>
}

export interface FollowedRows {
  readonly rows: readonly Row[]
  readonly places: LoadedTarget['places']
  /** Rows as they were read: a row comes once for every row that leads there. */
  readonly found: readonly Row[]
  readonly heads: LevelRows['heads']
}

export function eachOnce(
  { level: { model } }: Pick<CompiledLevel, 'level'>,
  found: readonly Row[],
  heads: LevelRows['heads'] = null,
): FollowedRows {
  const readKey = keyReader(model)
  const places = new Map<RowKey, number>()
  const rows: Row[] = []
  for (const row of found) {
    const id = readKey(row[0])
    if (places.has(id)) continue
    places.set(id, rows.length)
    rows.push(row)
  }
  return { rows, places, found, heads }
}

/** The type decides last, because the order in which statements end differs. */
function byPlace(one: Ref, other: Ref): number {
  if (one.place !== other.place) return one.place < other.place ? -1 : 1
  if (one.id !== other.id || one.type === other.type) return compareKeys(one.id, other.id)
  return (one.type ?? '') < (other.type ?? '') ? -1 : 1
}

function childOf(branch: CompiledBranch, ref: Ref, loaded: readonly LoadedTarget[]): Child | null {
  const target = targetOf(branch, ref)
  if (target === undefined) {
    if (branch.branch.unlisted === 'omit' || ref.type === null) return null
    return { in: null, at: Number(ref.id), type: ref.type }
  }
  const { rows, places } = loaded[target] ?? {}
  const at = places?.get(ref.id)
  if (rows === undefined || at === undefined) return null
  rows.ways[at] = (rows.ways[at] ?? 0) + 1
  return { in: rows, at }
}

/** Most lists are in order already, and a check costs less than sorting. */
function inPlace(list: Ref[]): readonly Ref[] {
  for (let index = 1; index < list.length; index += 1) {
    const before = list[index - 1]
    const here = list[index]
    if (before !== undefined && here !== undefined && byPlace(before, here) > 0) return list.sort(byPlace)
  }
  return list
}

/** The order of a sort is that of the loaded rows; without one it is the order of the editor. */
function childrenOf(list: Ref[], sorted: boolean, find: (ref: Ref) => Child | null): readonly Child[] {
  const children: Child[] = []
  for (const ref of sorted ? list : inPlace(list)) {
    const child = find(ref)
    if (child !== null) children.push(child)
  }
  return sorted ? children.sort((one, other) => one.at - other.at) : children
}

const none: readonly Child[] = []

function childrenByRow(
  level: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
  loaded: readonly LoadedTarget[],
): LevelRows['children'] {
  const ownKey = keyReader(level.level.model)
  return level.branches.map((branch, index) => {
    const [target] = branch.targets.values()
    const sorted = target !== undefined && (level.targets[target]?.level.order.length ?? 0) > 0
    const find = (ref: Ref): Child | null => childOf(branch, ref, loaded)
    const lists = refs[index]?.lists
    const isShown = isShownBy(level, branch)
    return rows.map((row) => {
      if (isShown?.(row) === false) return null
      const list = lists?.get(ownKey(row[0]))
      return list === undefined ? none : childrenOf(list, sorted, find)
    })
  })
}

interface Following {
  readonly run: Run
  readonly count: CountRows
  readonly level: CompiledLevel
  readonly read: FollowedRows
  readonly heads: LevelRows['heads']
  readonly ids: readonly RowKey[]
  readonly refs: readonly Refs[]
  readonly linked: ReturnType<typeof readRefs>
}

async function readByIds(
  { run, level, read, heads, linked }: Following,
  target: CompiledTarget,
  select: Statement,
  index: number,
): Promise<FollowedRows> {
  const wanted = (await linked)[index] ?? new Set()
  const isSorted = target.level.order.length > 0
  if (heads === null || !level.again.has(target)) {
    return eachOnce(target, await runInChunks(run, select, [...wanted], isSorted))
  }
  const known: Row[] = []
  const ids: RowKey[] = []
  for (const id of wanted) {
    const row = read.rows[read.places.get(id) ?? -1]
    if (row === undefined) ids.push(id)
    else {
      known.push(row)
      if (!heads.has(row)) heads.set(row, {})
    }
  }
  const found = await runInChunks(run, select, ids, isSorted)
  return eachOnce(target, [...known, ...found], heads)
}

async function read(following: Following, target: CompiledTarget, index: number): Promise<FollowedRows> {
  const { run, level, read, refs } = following
  const { found } = target
  const isSorted = target.level.order.length > 0
  switch (found.by) {
    case 'rows':
      return eachOnce(target, takeInlineRows(found, level, target.level, { rows: read.found, refs }))
    case 'links': {
      const rows = await runInChunks(run, found.select, following.ids, isSorted)
      for (const row of rows) found.collect(row, refs)
      return eachOnce(target, rows)
    }
    case 'ids':
      return readByIds(following, target, found.select, index)
  }
}

async function loadTarget(
  following: Following,
  target: CompiledTarget,
  index: number,
): Promise<LoadedTarget> {
  const found = await read(following, target, index)
  const isShown = following.level.branches.some(
    ({ branch, targets }) => branch.answer === 'entries' && [...targets.values()].includes(index),
  )
  // A row that is only counted has no columns but its id.
  following.count(found.rows.length * (isShown ? 1 : 0.1))
  return { rows: await expand(following, target, found), places: found.places }
}

/** Reads all links of a level, then every target type once. The number of statements depends on the plan alone. */
export async function expand(
  { run, count }: { readonly run: Run; readonly count: CountRows },
  level: CompiledLevel,
  read: FollowedRows,
): Promise<LevelRows> {
  const { rows } = read
  const heads = read.heads ?? (level.again.size > 0 ? new Map<Row, object>() : null)
  const ways = new Array<number>(rows.length).fill(0)
  const own = { of: level, rows: [...rows], ways, written: { v5: [], v4: [] }, heads }
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
  const ownKey = keyReader(level.level.model)
  const totals = level.branches.map(({ branch: { page } }, index) =>
    page?.withCount === true ? rows.map((row) => refs[index]?.totals.get(ownKey(row[0])) ?? 0) : null,
  )
  return { ...own, children, totals }
}
