import type { LRUCache } from 'lru-cache'
import type { Permitted } from '../access'
import type { AskedPage } from '../query'
import type { Branch, Level } from '../plan'
import { makeSigning, signatureBelow, type Signing } from './signature'
import type { Model, Uid } from '../schema'
import type { Dialect, Matching } from './dialect'
import { linkStatements, type LinkStatement } from './links'
import { type Aim, joinableBranches, type Joined, joinedRead, type Parents, type Way } from './joined'
import { selectPage, selectTotal, totalInPage } from './page'
import { pagedStatement } from './paged'
import { makeScope } from './scope'
import type { Notation } from './sql'
import { type Positions, selectionOf, selectLinked } from './select'
import type { Statement } from './statement'

/** A level with its SQL. */
export interface CompiledLevel extends Below {
  readonly level: Level<never>
  readonly positions: Positions
}

/** What hangs on the rows of a level. Branches that ask the same of the same type share one target. */
export interface Below {
  readonly links: readonly LinkStatement[]
  readonly branches: readonly CompiledBranch[]
  /** What the branches lead to, each once, and the statement that reads it. */
  readonly targets: readonly CompiledTarget[]
}

export interface CompiledTarget extends CompiledLevel {
  /** By the keys of the rows that lead here where it is joined to its links, else by the ids that the links name. */
  readonly select: Statement
  readonly collect: Joined['collect'] | null
}

export interface CompiledBranch {
  readonly branch: Branch<never>
  /** For each type, its place among the level's targets. */
  readonly targets: ReadonlyMap<Uid, number>
}

export interface Compiled {
  readonly root: CompiledLevel
  readonly page: AskedPage | null
  readonly select: Statement
  /** Where in the rows of the page the total stands. Null: it is not wanted, or a statement of its own. */
  readonly totalAt: number | null
  readonly total: Statement
}

export interface Compiler {
  readonly notation: Notation
  readonly dialect: Dialect
  readonly matching: Matching
  readonly modelOf: (uid: Uid) => Model
  /** What hangs on a page comes again with every page and every filter, and is most of what there is to compile. */
  readonly kept: LRUCache<string, Below>
}

/** As many as a page has unless the options allow more. */
const fewRows = 100

/** Counting needs the ids alone, and pages have been put in order by the statement that cut them. */
function wanted({ answer, page }: Branch<never>, level: Level<never>): Level<never> {
  if (answer === 'count') return { ...level, columns: [], branches: [], order: [] }
  return page === null ? level : { ...level, order: [] }
}

/** What the branches of a level lead to: levels that ask the same are one. */
function aimsOf(signatureOf: Signing, { branches }: Level<never>): readonly Aim[] {
  const aims: (Aim & { readonly ways: Way[] })[] = []
  branches.forEach((branch, index) => {
    for (const [uid, target] of branch.targets) {
      const level = wanted(branch, target)
      const asksTheSame = (aim: Aim): boolean =>
        aim.level.model === level.model && signatureOf(aim.level) === signatureOf(level)
      const way = { branch: index, uid }
      const known = aims.find(asksTheSame)
      if (known === undefined) aims.push({ level, ways: [way] })
      else known.ways.push(way)
    }
  })
  return aims
}

/** Whether the rows of what an aim leads to are as few as those that lead there: lists have no end. */
const isToOne = ({ ways }: Aim, { branches }: Level<never>): boolean =>
  ways.every(({ branch }) => branches[branch]?.field.many === false)

interface Known {
  readonly compiler: Compiler
  readonly signatureOf: Signing
}

function compileAim(
  known: Known,
  level: Level<never>,
  aim: Aim,
  isJoined: boolean,
  from: Parents,
): CompiledTarget {
  const scope = makeScope(known.compiler)
  const selection = selectionOf(aim.level)
  const below = {
    level: aim.level,
    positions: selection.positions,
    ...compileBelow(known, aim.level, isToOne(aim, level) ? from : 'many'),
  }
  if (!isJoined) return { ...below, select: selectLinked(scope, aim.level, selection), collect: null }
  const { statement, collect } = joinedRead(scope, level.branches, aim, selection)
  return { ...below, select: statement, collect }
}

function linksOf(
  { compiler }: Known,
  { branches, model }: Level<never>,
  joined: ReadonlySet<number>,
): readonly LinkStatement[] {
  const { modelOf } = compiler
  const scope = makeScope(compiler)
  const whole = linkStatements(
    scope,
    branches,
    joined,
    ({ targets: [uid] }) => (uid === undefined ? model : modelOf(uid)).table,
  )
  const paged = branches.flatMap((branch, index) => {
    const made = branch.page === null ? null : pagedStatement(scope, branch, branch.page, index)
    return made === null ? [] : [made]
  })
  return [...whole, ...paged]
}

function compileBelow(known: Known, level: Level<never>, from: Parents): Below {
  const aims = aimsOf(known.signatureOf, level)
  const joined = joinableBranches(level.branches, aims, from)
  const targets = aims.map((aim) => {
    const isJoined = aim.ways.every(({ branch }) => joined.has(branch))
    return compileAim(known, level, aim, isJoined, from)
  })
  const placeOf = (branch: number, uid: Uid): number =>
    aims.findIndex(({ ways }) => ways.some((way) => way.branch === branch && way.uid === uid))
  const branches = level.branches.map((branch, index) => ({
    branch,
    targets: new Map([...branch.targets.keys()].map((uid) => [uid, placeOf(index, uid)])),
  }))
  return { links: linksOf(known, level, joined), branches, targets }
}

function keptBelow(known: Known, level: Level<never>, from: Parents): Below {
  if (level.branches.length === 0) return compileBelow(known, level, from)
  const { kept } = known.compiler
  const key = `${from} ${signatureBelow(level)}`
  const before = kept.get(key)
  if (before !== undefined) return before
  const made = compileBelow(known, level, from)
  kept.set(key, made)
  return made
}

export function compilePlan(compiler: Compiler, permitted: Permitted): Compiled {
  const { root, page, narrowed } = permitted
  const known = { compiler, signatureOf: makeSigning() }
  const selection = selectionOf(root)
  const total = totalInPage(root, page, narrowed)
  const from = page === null ? 'one' : page.limit <= fewRows ? 'few' : 'many'
  return {
    root: { level: root, positions: selection.positions, ...keptBelow(known, root, from) },
    page,
    select: selectPage(makeScope(compiler), { level: root, selection, page, total }),
    totalAt: total === 'none' ? null : selection.positions.size,
    total: selectTotal(makeScope(compiler), root),
  }
}
