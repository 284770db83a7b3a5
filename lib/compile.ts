// Comes in: what `permit` made. Goes out: the statements of every level as SQL text with bindings, written once, in the
// words of one database. Refused: nothing; a name or value that could be refused has been before.
import { type Compile, type KeptBelowPage, makeCompile } from './compile/compiled-level'
import type { Dialect } from './compile/dialect'
import { type Matching, notationOf } from './compile/sql'
import { mysql } from './compile/mysql'
import { postgres } from './compile/postgres'
import { sqlite } from './compile/sqlite'
import type { Database } from './database'
import { makeMemory } from './memory'
import { bytesBelow } from './plan'
import { modelOf, type Schema } from './schema'

export type {
  Compile,
  Compiled,
  CompiledBranch,
  CompiledLevel,
  CompiledTarget,
} from './compile/compiled-level'
export {
  closeSnapshot,
  type Dialect,
  type Form,
  notJson,
  type RawConnections,
  type Row,
} from './compile/dialect'
export { takeInlineRows } from './compile/inline-targets'
export { noRefs, type Ref, type Refs } from './compile/link-statements'
export type { PageRead } from './compile/page-reads'
export { positionOf, shownName } from './compile/selection'
export { bindingsOf, type Statement } from './compile/statement'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Pick<Database, 'dialect'>): Dialect => dialects[dialect]

/** Of what hangs on pages. */
const maxBytes = 32 * 1024 * 1024

/** Writes the SQL of plans; the same again for the same plan, unless it had to make room. */
export function makeCompiler(database: Database, schema: Schema, matching: Matching): Compile {
  const dialect = dialectOf(database)
  const kept = makeMemory<KeptBelowPage>({
    maxBytes,
    bytesOf: ({ below }) => bytesBelow(below.branches.map(({ branch }) => branch)),
  })
  const notation = notationOf(database.knex, dialect.placeholder)
  return makeCompile({ notation, dialect, matching, modelOf: (uid) => modelOf(schema, uid) }, kept)
}
