import type { Knex } from 'knex'
import type { Permitted } from '../access'
import type { AskedPage } from '../query'
import type { Branch, Level } from '../plan'
import { makeSigning, type Signing } from './signature'
import type { Model, Uid } from '../schema'
import type { Dialect, Matching } from './dialect'
import { linkStatements, type LinkStatement } from './links'
import { type Aim, joinableBranches, type Joined, joinedRead, type Parents, type Way } from './joined'
import { selectPage, selectTotal, totalInPage } from './page'
import { pagedStatement } from './paged'
import { makeScope } from './scope'
import { type Positions, selectionOf, selectLinked } from './select'
import type { Statement } from './statement'

/** A level with its SQL. Branches that ask the same of the same type share one. */
export interface CompiledLevel {
  readonly level: Level<never>
  readonly positions: Positions
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

interface Compiler {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly matching: Matching
  readonly modelOf: (uid: Uid) => Model
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
  const aims = new Map<number, Aim & { readonly ways: Way[] }>()
  branches.forEach((branch, index) => {
    for (const [uid, target] of branch.targets) {
      const level = wanted(branch, target)
      const signature = signatureOf(level)
      const known = aims.get(signature) ?? { level, ways: [] }
      known.ways.push({ branch: index, uid })
      aims.set(signature, known)
    }
  })
  return [...aims.values()]
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
  const { knex, dialect, matching } = known.compiler
  const scope = makeScope(knex, dialect, matching)
  const selection = selectionOf(aim.level)
  const below = compileLevel(known, aim.level, isToOne(aim, level) ? from : 'many')
  if (!isJoined) return { ...below, select: selectLinked(scope, aim.level, selection), collect: null }
  const { statement, collect } = joinedRead(scope, level.branches, aim, selection)
  return { ...below, select: statement, collect }
}

function linksOf(
  { compiler }: Known,
  { branches, model }: Level<never>,
  joined: ReadonlySet<number>,
): readonly LinkStatement[] {
  const { knex, dialect, matching, modelOf } = compiler
  const scope = makeScope(knex, dialect, matching)
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

function compileLevel(known: Known, level: Level<never>, from: Parents): CompiledLevel {
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
  return {
    level,
    positions: selectionOf(level).positions,
    links: linksOf(known, level, joined),
    branches,
    targets,
  }
}

export function compilePlan(compiler: Compiler, permitted: Permitted): Compiled {
  const { root, page, narrowed } = permitted
  const { knex, dialect, matching } = compiler
  const known = { compiler, signatureOf: makeSigning() }
  const selection = selectionOf(root)
  const total = totalInPage(root, page, narrowed)
  return {
    root: compileLevel(known, root, page === null ? 'one' : page.limit <= fewRows ? 'few' : 'many'),
    page,
    select: selectPage(makeScope(knex, dialect, matching), { level: root, selection, page, total }),
    totalAt: total === 'none' ? null : selection.positions.size,
    total: selectTotal(makeScope(knex, dialect, matching), root),
  }
}
