// Comes in: what `permit` made, and a Database. Goes out: the rows of every level, level by level, as arrays, tied to the
// rows they hang on. Refused: nothing; whatever could be refused has been before the first connection is asked for.
import type { Permitted } from './access'
import type { Database } from './database'
import { compilePlan, type Compiled } from './load/compile'
import { withConnection, type OnStatement } from './load/connection'
import type { Dialect, Matching } from './load/dialect'
import { expand, type Run } from './load/follow'
import { mysql } from './load/mysql'
import { postgres } from './load/postgres'
import type { Rows } from './load/rows'
import { sqlite } from './load/sqlite'
import type { Schema } from './schema'

export type { Compiled, CompiledBranch, CompiledLevel } from './load/compile'
export type { Form, Matching, Row } from './load/dialect'
export type { Child, Rows } from './load/rows'
export type { OnStatement } from './load/connection'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Database): Dialect => dialects[dialect]

/** Writes the SQL of a plan, once. */
export function compile(
  database: Database,
  schema: Schema,
  matching: Matching,
  permitted: Permitted,
): Compiled {
  const modelOf = (uid: Parameters<Schema['models']['get']>[0]) => {
    const model = schema.models.get(uid)
    if (model === undefined) throw new Error(`the schema has no ${uid}`)
    return model
  }
  return compilePlan({ knex: database.knex, dialect: dialectOf(database), matching, modelOf }, permitted)
}

export interface Loaded {
  readonly rows: Rows
  /** Null where it was not asked for. */
  readonly total: number | null
}

/** A page that is not full, or not the first yet not empty, tells the total by itself. */
function totalFromPage({ page }: Compiled, count: number): number | null {
  if (page === null || count >= page.limit || (count === 0 && page.start > 0)) return null
  return page.start + count
}

async function countAll(run: Run, compiled: Compiled, count: number): Promise<number | null> {
  if (compiled.page?.withCount !== true) return null
  const known = totalFromPage(compiled, count)
  if (known !== null) return known
  const [row] = await run(compiled.total)
  return Number(row?.[0])
}

export async function load(
  database: Database,
  compiled: Compiled,
  onStatement: OnStatement,
): Promise<Loaded> {
  const { root, page } = compiled
  const snapshot = root.branches.length > 0 || page?.withCount === true
  return withConnection(database, dialectOf(database), snapshot, onStatement, async (run) => {
    const found = await run(compiled.select)
    const [total, rows] = await Promise.all([countAll(run, compiled, found.length), expand(run, root, found)])
    return { rows, total }
  })
}
