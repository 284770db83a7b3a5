import type { CompiledBranch, CompiledLevel, Row } from '../compile'
import type { Child, LevelRows } from '../load'
import { once } from '../memory'
import { childrenForm, targetsOf, typeOf, type Wrappings } from './children-form'
import { rowAt } from './row-at'
import { type FormOf, shownColumns } from './shown-columns'
import { type MakeValue, valueMaker } from './value-maker'
import type { ValueReading } from './value-writer'

/** An entry as it is shown, as an object that nobody else has. */
export type MakeEntry = (rows: LevelRows, at: number) => object

export interface MakingStyle {
  readonly formOf: FormOf
  readonly reading: ValueReading
  readonly wrappings: Wrappings
}

/** One maker for each level, shared by all branches that lead there. */
export type EntryMakers = WeakMap<CompiledLevel, MakeEntry>

type Members = Record<string, unknown>

type MakeChildren = (children: readonly Child[], total: number | null) => unknown

interface BranchMaker {
  readonly name: string
  readonly make: MakeChildren
}

interface ColumnMaker {
  readonly name: string
  readonly position: number
  readonly make: MakeValue
  readonly shownAt: number | null
}

type MakeChild = (child: Child) => object

function childMaker(makers: ReadonlyMap<CompiledLevel, MakeEntry>, tag: string | null): MakeChild {
  const make: MakeChild = (child) =>
    child.in === null ? { id: child.at } : (makers.get(child.in.of)?.(child.in, child.at) ?? {})
  return tag === null ? make : (child) => Object.assign(make(child), { [tag]: typeOf(child) })
}

function childrenMaker(
  branch: CompiledBranch,
  { wrappings }: MakingStyle,
  made: Parameters<typeof childMaker>[0],
): MakeChildren {
  if (branch.branch.answer === 'count') return (children) => ({ count: children.length })
  const { many, tag, isWrapped, meta } = childrenForm(branch, wrappings)
  const each = childMaker(made, tag)
  const one = ([child]: readonly Child[]): object | null => (child === undefined ? null : each(child))
  const inner = many ? (children: readonly Child[]): object[] => children.map((child) => each(child)) : one
  if (!isWrapped) return inner
  return meta === null
    ? (children) => ({ data: inner(children) })
    : (children, total) => ({ data: inner(children), meta: meta(total) })
}

function branchMakers(level: CompiledLevel, style: MakingStyle, makers: EntryMakers): readonly BranchMaker[] {
  return level.branches.map((branch) => {
    const made = new Map(
      targetsOf(level, branch).map((target) => [target, entryMaker(target, style, makers)]),
    )
    return { name: branch.branch.field.name, make: childrenMaker(branch, style, made) }
  })
}

function columnMakers(level: CompiledLevel, { formOf, reading }: MakingStyle): readonly ColumnMaker[] {
  return shownColumns(level, formOf).map(({ form, ...column }) => ({
    ...column,
    make: valueMaker(form, reading),
  }))
}

/** Its attributes, without what the row does not show. */
function addColumns(entry: Members, columns: readonly ColumnMaker[], row: Row): void {
  for (const { name, position, make, shownAt } of columns) {
    if (shownAt !== null && Number(row[shownAt]) !== 1) continue
    const value = row[position]
    entry[name] = value === null || value === undefined ? null : make(value)
  }
}

function addBranches(entry: Members, branches: readonly BranchMaker[], rows: LevelRows, at: number): void {
  branches.forEach(({ name, make }, place) => {
    const children = rows.children[place]?.[at]
    if (children !== null) entry[name] = make(children ?? [], rows.totals[place]?.[at] ?? null)
  })
}

export function entryMaker(level: CompiledLevel, style: MakingStyle, makers: EntryMakers): MakeEntry {
  return once(makers, level, () => {
    const columns = columnMakers(level, style)
    const branches = branchMakers(level, style, makers)
    return (rows, at) => {
      const entry: Members = {}
      addColumns(entry, columns, rowAt(rows, at))
      addBranches(entry, branches, rows, at)
      return entry
    }
  })
}
