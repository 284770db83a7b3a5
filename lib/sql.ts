// Input: a permitted plan. Output: the statements of all levels, as SQL text with bindings of one database.
// Rejected: nothing.
import { createHash } from 'node:crypto'
import type { Dialect } from './sql/dialects/dialect'
import { type Matching, notationOf, type Statement } from './sql/statement'
import { mysql } from './sql/dialects/mysql'
import { postgres } from './sql/dialects/postgres'
import { sqlite } from './sql/dialects/sqlite'
import type { Database } from './database'
import { makeMemory, type Memory, once } from './memory'
import { bytesBelow, type Branch, type Level, type Page, partsOf } from './plan'
import { modelOf, type Schema, type Model, type Uid } from './schema'
import type { Permitted } from './access'
import { linkStatements, type LinkStatement } from './sql/link-statements'
import {
  type InlineTarget,
  joinableBranches,
  joinedRead,
  type JoinedTarget,
  mayBeInline,
  type Parents,
  type PlacedLevel,
  readingOfAll,
  widthOf,
} from './sql/joined-targets'
import {
  isToOne,
  makeSigning,
  signatureBelow,
  type Signing,
  type TargetGroup,
  targetGroupsOf,
  textOf,
} from './sql/signature'
import { type PageReads, pageReads } from './sql/page-reads'
import { makeScope, type StatementSettings } from './sql/sql-scope'
import { type Selection, selectionOf, selectLinked } from './sql/selection'

export type * from './sql/dialects/dialect'
export { closeSnapshot, notJson } from './sql/dialects/dialect'
export { takeInlineRows } from './sql/joined-targets'
export { noRefs, type Ref, type Refs } from './sql/link-statements'
export type { PageRead } from './sql/page-reads'
export { compareKeys, keyReader, positionOf, type RowKey, shownName } from './sql/selection'
export { compareTo } from './sql/compare'
export { leftJoin, sumOfScores } from './sql/order-by'
export {
  column,
  keyOf,
  linkRows,
  makeScope,
  type NamedRows,
  type SqlScope,
  type StatementSettings,
  valueOf,
} from './sql/sql-scope'
export {
  all,
  anyOf,
  bindingsOf,
  compile,
  joined,
  type Sql,
  sql,
  type Statement,
  whole,
} from './sql/statement'
export { where, whereInTime } from './sql/where'

const dialects = { sqlite, mysql, postgres } as const

export const dialectOf = ({ dialect }: Pick<Database, 'dialect'>): Dialect => dialects[dialect]

const maxBytes = 32 * 1024 * 1024

interface SqlSettings extends StatementSettings {
  readonly modelOf: (uid: Uid) => Model
}

export interface Compiler extends SqlSettings {
  readonly kept: Memory<KeptBelowPage>
  readonly keys: WeakMap<Permitted, string>
}

export function makeCompiler(database: Database, schema: Schema, matching: Matching): Compiler {
  const dialect = dialectOf(database)
  return {
    notation: notationOf(database.knex, dialect.placeholder),
    dialect,
    matching,
    modelOf: (uid) => modelOf(schema, uid),
    kept: makeMemory<KeptBelowPage>({
      maxBytes,
      bytesOf: ({ below }) => bytesBelow(below.branches.map(({ branch }) => branch)),
    }),
    keys: new WeakMap(),
  }
}

/** Sub-plans below a page are cached: they are most of the work, and the same for each page and filter. */
export function compilePlan(compiler: Compiler, permitted: Permitted): Compiled {
  const { kept, keys } = compiler
  const compileHanging = (): KeptBelowPage => {
    const settings = { ...compiler, signatureOf: makeSigning() }
    const budget = { left: mostInlineTargets }
    const below = compileBelow(settings, permitted.root, parentsOf(permitted), budget)
    return { below, compiled: new WeakMap() }
  }
  const key = once(keys, permitted, () => keyOf(permitted))
  const { below, compiled } = once(kept, key, compileHanging)
  return once(compiled, permitted, () => compilePage(compiler, permitted, below))
}

/** Statements below a page, and its pages. Plans do not refer to them, so that they can be evicted. */
interface KeptBelowPage {
  readonly below: Below
  readonly compiled: WeakMap<Permitted, Compiled>
}

/** Default page size. */
const fewRows = 100

const parentsOf = ({ page }: Permitted): Parents =>
  page === null ? 'one' : page.limit <= fewRows ? 'few' : 'many'

const keyOf = (permitted: Permitted): string =>
  createHash('sha256')
    .update(`${parentsOf(permitted)} ${signatureBelow(permitted.root)}`)
    .digest('base64')

function compilePage(compiler: SqlSettings, permitted: Permitted, below: Below): Compiled {
  const { root } = permitted
  const isExact = compiler.dialect.estimate === null && permitted.page?.withCount === 'estimated'
  const page = isExact ? { ...permitted.page, withCount: true } : permitted.page
  const selection = selectionOf(root)
  const own = { level: root, page, selection, targets: below.targets }
  return { root: levelOf(root, selection, below), page, ...pageReads(compiler, own, permitted.narrowed) }
}

export interface CompiledLevel extends PlacedLevel, Below {
  /** Targets whose rows may be rows of this level: these are not read again. */
  readonly again: ReadonlySet<CompiledTarget>
}

/** Databases try orders of joined tables, which is slow for many. */
const mostInlineTargets = 4

/** Links, branches and targets below a level. Branches with equal queries share one target. */
interface Below {
  readonly links: readonly LinkStatement[]
  readonly branches: readonly CompiledBranch[]
  readonly targets: readonly CompiledTarget[]
}

export interface CompiledTarget extends CompiledLevel {
  readonly found: FoundBy
}

/** Rows are read by ids, joined to their links, or inside the rows of the parent. */
type FoundBy = { readonly by: 'ids'; readonly select: Statement } | JoinedTarget | InlineTarget

export interface CompiledBranch {
  readonly branch: Branch<never>
  readonly targets: ReadonlyMap<Uid, number>
}

export interface Compiled extends PageReads {
  readonly root: CompiledLevel
  readonly page: Page | null
}

interface PlanCompiler extends SqlSettings {
  readonly signatureOf: Signing
}

/** True if `one` has read each row of `other` with the same columns: entries of a type may be linked to each other. */
function isSameRow(one: PlacedLevel, other: PlacedLevel): boolean {
  const { model, columns, where } = one.level
  const { level } = other
  // Rows of a sorted level get their order from its own statement.
  if (level.order.length > 0) return false
  if (model !== level.model || columns.length !== level.columns.length) return false
  if (columns.some((column, index) => column !== level.columns[index])) return false
  if ([...other.positions].some(([name, at]) => one.positions.get(name) !== at)) return false
  const parts = new Set(partsOf(where).map(textOf))
  return partsOf(level.where).every((part) => parts.has(textOf(part)))
}

function levelOf(level: Level<never>, { positions }: Selection, below: Below): CompiledLevel {
  const placed = { level, positions }
  const again = below.targets.filter((target) => target.found.by === 'ids' && isSameRow(placed, target))
  return { ...placed, ...below, again: new Set(again) }
}

/** `budget`: the number of inlined targets left in one statement; null if no target may be inlined. */
function compileBelow(
  settings: PlanCompiler,
  level: Level<never>,
  from: Parents,
  budget: { left: number } | null,
): Below {
  const inlined = new Set<TargetGroup>()
  const groups = targetGroupsOf(settings.signatureOf, level).flatMap((group): readonly TargetGroup[] => {
    const { ways } = group
    if (budget === null || ways.length > budget.left || !mayBeInline(level, group, from)) return [group]
    budget.left -= ways.length
    const each = ways.map((way): TargetGroup => ({ level: group.level, ways: [way] }))
    for (const one of each) inlined.add(one)
    return each
  })
  const joined = joinableBranches(level.branches, groups, from)
  const targets: CompiledTarget[] = []
  const foundBy = (group: TargetGroup, selection: Selection, below: Below): FoundBy => {
    if (inlined.has(group)) {
      const reading = readingOfAll(level.branches, group)
      const width = selection.positions.size + widthOf(below.targets) + 1
      return { by: 'rows', branch: group.ways[0].branch, reading, selection, at: widthOf(targets), width }
    }
    const scope = makeScope(settings)
    return group.ways.every(({ branch }) => joined.has(branch))
      ? joinedRead(scope, level, group, selection)
      : { by: 'ids', select: selectLinked(scope, group.level, selection) }
  }
  for (const group of groups) {
    const selection = selectionOf(group.level)
    const parents = isToOne(group, level) ? from : 'many'
    const below = compileBelow(settings, group.level, parents, inlined.has(group) ? budget : null)
    targets.push({ ...levelOf(group.level, selection, below), found: foundBy(group, selection, below) })
  }
  const indexOf = (branch: number, uid: Uid): number =>
    groups.findIndex(({ ways }) => ways.some((way) => way.branch === branch && way.uid === uid))
  const branches = level.branches.map((branch, index) => ({
    branch,
    targets: new Map([...branch.targets.keys()].map((uid) => [uid, indexOf(index, uid)])),
  }))
  return { links: linkStatements(makeScope(settings), level, joined, settings.modelOf), branches, targets }
}
