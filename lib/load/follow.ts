import type { CompiledBranch, CompiledLevel, CompiledTarget } from './compile'
import type { Row } from './dialect'
import { noRefs, type Ref, type Refs } from './links'
import type { Child, Rows } from './rows'
import type { Statement } from './statement'

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

/** Our row holds the key: nothing to read. */
function refsInRows(
  { branches, positions }: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
): void {
  branches.forEach(({ branch }, index) => {
    const { link } = branch.field
    if (link.via !== 'here') return
    const key = positions.get(link.key) ?? 0
    const type = positions.get(link.type) ?? 0
    for (const row of rows) {
      if (row[key] === null) continue
      refs[index]?.lists.set(Number(row[0]), [{ id: Number(row[key]), type: String(row[type]), place: 0 }])
    }
  })
}

/** Reads all links of a level but those that come with their targets, and tells which ids they name of each target. */
async function readRefs(
  run: Run,
  level: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
): Promise<readonly ReadonlySet<number>[]> {
  refsInRows(level, rows, refs)
  await Promise.all(
    level.links.map(async ({ statement, ours, collect }) => {
      const position = level.positions.get(ours) ?? 0
      const keys = new Set(rows.map((row) => row[position]))
      for (const row of await runInChunks(run, statement, [...keys])) collect(row, refs)
    }),
  )
  return idsByTarget(level, refs)
}

/** The place of the type that a link leads to, among the level's targets. */
function targetOf({ targets }: CompiledBranch, { type }: Ref): number | undefined {
  if (type !== null) return (targets as ReadonlyMap<string, number>).get(type)
  const [only] = targets.values()
  return only
}

function idsByTarget(level: CompiledLevel, refs: readonly Refs[]): readonly ReadonlySet<number>[] {
  const wanted = level.targets.map(() => new Set<number>())
  level.branches.forEach((branch, index) => {
    for (const list of refs[index]?.lists.values() ?? []) {
      for (const ref of list) {
        const target = targetOf(branch, ref)
        if (target !== undefined) wanted[target]?.add(ref.id)
      }
    }
  })
  return wanted
}

interface Loaded {
  readonly rows: Rows
  readonly places: ReadonlyMap<number, number>
}

/** Rows that are put in order by the database are asked for in one go: pieces would each have an order of their own. */
function readTarget(
  run: Run,
  { level, select }: CompiledTarget,
  ids: readonly unknown[],
): Promise<readonly Row[]> {
  if (level.order.length === 0) return runInChunks(run, select, ids)
  return ids.length === 0 ? Promise.resolve([]) : run(select, ids)
}

/** What others share comes once for each of them, and is kept once. */
function eachOnce(found: readonly Row[]): {
  readonly rows: readonly Row[]
  readonly places: Loaded['places']
} {
  const places = new Map<number, number>()
  const rows: Row[] = []
  for (const row of found) {
    const id = Number(row[0])
    if (places.has(id)) continue
    places.set(id, rows.length)
    rows.push(row)
  }
  return { rows, places }
}

async function loadTarget(run: Run, target: CompiledTarget, found: readonly Row[]): Promise<Loaded> {
  const { rows, places } = eachOnce(found)
  return { rows: await expand(run, target, rows), places }
}

async function loadJoined(
  run: Run,
  target: CompiledTarget,
  ids: readonly unknown[],
  refs: readonly Refs[],
): Promise<Loaded> {
  const found = await readTarget(run, target, ids)
  if (target.collect !== null) for (const row of found) target.collect(row, refs)
  return loadTarget(run, target, found)
}

const byPlace = (one: Ref, other: Ref): number => one.place - other.place || one.id - other.id

function childOf(branch: CompiledBranch, ref: Ref, loaded: readonly Loaded[]): Child | null {
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
function isInPlace(list: readonly Ref[]): boolean {
  for (let index = 1; index < list.length; index += 1) {
    const [before, here] = [list[index - 1], list[index]]
    if (before !== undefined && here !== undefined && byPlace(before, here) > 0) return false
  }
  return true
}

/** In the order that was asked for, which is that of the loaded rows; else as the editor put them. */
function childrenOf(
  branch: CompiledBranch,
  list: readonly Ref[],
  sorted: boolean,
  loaded: readonly Loaded[],
): Child[] {
  const ordered = sorted || isInPlace(list) ? list : [...list].sort(byPlace)
  const children: Child[] = []
  for (const ref of ordered) {
    const child = childOf(branch, ref, loaded)
    if (child !== null) children.push(child)
  }
  return sorted ? children.sort((one, other) => one.at - other.at) : children
}

const none: readonly Child[] = []

function childrenByRow(
  level: CompiledLevel,
  rows: readonly Row[],
  refs: readonly Refs[],
  loaded: readonly Loaded[],
): Rows['children'] {
  return level.branches.map((branch, index) => {
    const { link } = branch.branch.field
    const key = link.via === 'there' ? (level.positions.get(link.ours) ?? 0) : 0
    const others = link.via === 'there' && link.ours === 'document_id'
    const [target] = branch.targets.values()
    const sorted = target !== undefined && (level.targets[target]?.level.order.length ?? 0) > 0
    return rows.map((row) => {
      const list = refs[index]?.lists.get(key === 0 ? Number(row[0]) : row[key])
      if (list === undefined) return none
      const self = Number(row[0])
      return childrenOf(branch, others ? list.filter(({ id }) => id !== self) : list, sorted, loaded)
    })
  })
}

function totalsByRow(level: CompiledLevel, rows: readonly Row[], refs: readonly Refs[]): Rows['totals'] {
  return level.branches.map(({ branch }, index) => {
    if (branch.page?.withCount !== true) return null
    const totals = refs[index]?.totals
    return rows.map((row) => totals?.get(Number(row[0])) ?? 0)
  })
}

/**
 * Loads what the branches of a level lead to: first all its links, then every type that they lead to, once, and so on
 * from there. How many statements that takes depends on the plan alone.
 */
export async function expand(run: Run, level: CompiledLevel, rows: readonly Row[]): Promise<Rows> {
  const own = { of: level, rows: [...rows], ways: rows.map(() => 0), written: { v5: [], v4: [] } }
  if (level.branches.length === 0) return { ...own, children: [], totals: [] }
  const refs: readonly Refs[] = level.branches.map(noRefs)
  const ids = rows.map(([id]) => id)
  const linked = readRefs(run, level, rows, refs)
  const [loaded] = await Promise.all([
    Promise.all(
      level.targets.map(async (target, index) => {
        if (target.collect !== null) return loadJoined(run, target, ids, refs)
        const wanted = (await linked)[index] ?? new Set()
        return loadTarget(run, target, await readTarget(run, target, [...wanted]))
      }),
    ),
    linked,
  ])
  const children = childrenByRow(level, rows, refs, loaded)
  const totals = totalsByRow(level, rows, refs)
  return { ...own, children, totals }
}
