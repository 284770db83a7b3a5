import {
  type CompiledLevel,
  type CompiledTarget,
  noRefs,
  type Refs,
  type Row,
  type Statement,
  takeInlineRows,
} from '../compile'
import { childrenByRow, type LoadedTarget, totalsByRow } from './children-by-row'
import type { CountRows } from './level-rows'
import { readRefs } from './read-refs'
import { eachOnce, type FollowedRows } from './children-by-row'
import type { Head, Heads, LevelRows } from './level-rows'
import { readTarget, type Run } from './read-refs'

export type { Run } from './read-refs'

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
