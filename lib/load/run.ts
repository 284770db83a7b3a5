import type { Level } from '../plan'
import type { Row, Statement } from '../compile'

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

export async function runInChunks(
  run: Run,
  statement: Statement,
  ids: readonly unknown[],
): Promise<readonly Row[]> {
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
