import type { Level } from '../plan'
import { takeAlong } from './along'
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
  level: Level<never>,
  select: Statement,
  ids: readonly unknown[],
): Promise<readonly Row[]> {
  if (level.order.length === 0) return runInChunks(run, select, ids)
  return ids.length === 0 ? Promise.resolve([]) : run(select, ids)
}

/** The rows of a level, each once, and as they were read: once for every row that leads there or that comes along. */
export interface Read {
  readonly rows: readonly Row[]
  readonly places: Loaded['places']
  readonly found: readonly Row[]
}

export function eachOnce(found: readonly Row[]): Read {
  const places = new Map<number, number>()
  const rows: Row[] = []
  for (const row of found) {
    const id = Number(row[0])
    if (places.has(id)) continue
    places.set(id, rows.length)
    rows.push(row)
  }
  return { rows, places, found }
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

interface Following {
  readonly run: Run
  readonly level: CompiledLevel
  readonly read: Read
  readonly refs: readonly Refs[]
  /** The ids that links name of each target, once these have been read. */
  readonly linked: ReturnType<typeof readRefs>
}

async function findRows(
  { run, level, read, refs, linked }: Following,
  target: CompiledTarget,
  index: number,
): Promise<readonly Row[]> {
  const { found } = target
  switch (found.by) {
    case 'rows':
      return takeAlong(found, level.positions.size, read.found, refs)
    case 'links': {
      const ids = read.rows.map(([id]) => id)
      const rows = await readTarget(run, target.level, found.select, ids)
      for (const row of rows) found.collect(row, refs)
      return rows
    }
    case 'ids': {
      const wanted = (await linked)[index] ?? new Set()
      return readTarget(run, target.level, found.select, [...wanted])
    }
  }
}

async function loadTarget(following: Following, target: CompiledTarget, index: number): Promise<Loaded> {
  const read = eachOnce(await findRows(following, target, index))
  return { rows: await expand(following.run, target, read), places: read.places }
}

/**
 * Loads what the branches of a level lead to: first all its links, then every type that they lead to, once, and so on
 * from there. How many statements that takes depends on the plan alone.
 */
export async function expand(run: Run, level: CompiledLevel, read: Read): Promise<Rows> {
  const { rows } = read
  const own = { of: level, rows: [...rows], ways: rows.map(() => 0), written: { v5: [], v4: [] } }
  if (level.branches.length === 0) return { ...own, children: [], totals: [] }
  const refs: readonly Refs[] = level.branches.map(noRefs)
  const linked = readRefs(run, level, rows, refs)
  const following = { run, level, read, refs, linked }
  const [loaded] = await Promise.all([
    Promise.all(level.targets.map((target, index) => loadTarget(following, target, index))),
    linked,
  ])
  const children = childrenByRow(level, rows, refs, loaded)
  const totals = totalsByRow(level, rows, refs)
  return { ...own, children, totals }
}
