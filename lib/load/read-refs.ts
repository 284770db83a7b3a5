import {
  type CompiledBranch,
  type CompiledLevel,
  positionOf,
  type Ref,
  type Refs,
  type Row,
  shownName,
  type Statement,
} from '../compile'
import type { Level } from '../plan'

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
export function readTarget(
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
export function isShownBy(
  { positions }: CompiledLevel,
  { branch }: CompiledBranch,
): ((row: Row) => boolean) | null {
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
export function targetOf({ targets }: CompiledBranch, { type }: Ref): number | undefined {
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
export async function readRefs(
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
