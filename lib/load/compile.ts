import type { Knex } from 'knex'
import type { Permitted } from '../access'
import type { AskedPage } from '../query'
import type { Branch, Level } from '../plan'
import type { Model, Uid } from '../schema'
import type { Dialect, Matching } from './dialect'
import { linkStatements, type LinkStatement } from './links'
import { pagedStatement } from './paged'
import { makeScope } from './scope'
import { type Positions, selectionOf, selectLinked, selectPage, selectTotal } from './select'
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
  readonly select: Statement
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
  readonly total: Statement
}

interface Compiler {
  readonly knex: Knex
  readonly dialect: Dialect
  readonly matching: Matching
  readonly modelOf: (uid: Uid) => Model
}

/** Equal for levels that ask the same: names say which model, field or column is meant. */
function signature(level: Level<never>): string {
  return JSON.stringify(level, (key, value: unknown) => {
    switch (key) {
      case 'model':
      case 'target':
        return (value as Model).uid
      case 'field':
      case 'column':
        return (value as { readonly name?: string }).name ?? value
      case 'path':
        return undefined
      case 'targets':
        return value instanceof Map ? [...(value as Map<Uid, Level<never>>)] : value
      default:
        return typeof value === 'bigint' ? `${String(value)}n` : value
    }
  })
}

function compileBranches(
  compiler: Compiler,
  level: Level<never>,
): Pick<CompiledLevel, 'branches' | 'targets'> {
  const targets: CompiledTarget[] = []
  const known = new Map<string, number>()
  const place = (target: Level<never>): number => {
    const key = signature(target)
    const index = known.get(key) ?? targets.push(compileTarget(compiler, target)) - 1
    known.set(key, index)
    return index
  }
  const branches = level.branches.map((branch) => ({
    branch,
    targets: new Map([...branch.targets].map(([uid, target]) => [uid, place(wanted(branch, target))])),
  }))
  return { branches, targets }
}

/** Counting needs the ids alone, and pages have been put in order by the statement that cut them. */
function wanted({ answer, page }: Branch<never>, level: Level<never>): Level<never> {
  if (answer === 'count') return { ...level, columns: [], branches: [], order: [] }
  return page === null ? level : { ...level, order: [] }
}

function compileLevel(compiler: Compiler, level: Level<never>): CompiledLevel {
  const { knex, dialect, matching, modelOf } = compiler
  const scope = makeScope(knex, dialect, matching)
  const whole = linkStatements(scope, level.branches, ({ targets: [uid] }) => {
    return uid === undefined ? level.model.table : modelOf(uid).table
  })
  const paged = level.branches.flatMap((branch, index) => {
    const made = branch.page === null ? null : pagedStatement(scope, branch, branch.page, index)
    return made === null ? [] : [made]
  })
  const links = [...whole, ...paged]
  return { level, positions: selectionOf(level).positions, links, ...compileBranches(compiler, level) }
}

function compileTarget(compiler: Compiler, level: Level<never>): CompiledTarget {
  const scope = makeScope(compiler.knex, compiler.dialect, compiler.matching)
  return { ...compileLevel(compiler, level), select: selectLinked(scope, level, selectionOf(level)) }
}

export function compilePlan(compiler: Compiler, permitted: Permitted): Compiled {
  const { root, page } = permitted
  const { knex, dialect, matching } = compiler
  return {
    root: compileLevel(compiler, root),
    page,
    select: selectPage(makeScope(knex, dialect, matching), root, selectionOf(root), page),
    total: selectTotal(makeScope(knex, dialect, matching), root),
  }
}
