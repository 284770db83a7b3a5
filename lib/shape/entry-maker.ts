import type { CompiledBranch, CompiledLevel, Row, Form } from '../compile'
import type { Child, LevelRows } from '../load'
import { once } from '../memory'
import {
  childrenForm,
  targetsOf,
  typeOf,
  type Wrappings,
  rowAt,
  type FormOf,
  shownColumns,
} from './children-form'
import { type ValueReading, valueWriter } from './value-writer'

/** Makes of a value that is not null what its text would be parsed to. */
type MakeValue = (value: unknown) => unknown

const parsed = (text: string): unknown => JSON.parse(text)

/** Of forms that are written as a text in quotes without anything to escape, or as null. */
const quoted = new Set<Form>(['plain', 'day', 'instant', 'storedInstant', 'clock', 'milliseconds', 'stamp'])

const unquoted = (text: string): unknown => (text.startsWith('"') ? text.slice(1, -1) : parsed(text))

/** There and back, such values are what they were. */
const lasting: Readonly<Partial<Record<Form, (value: unknown) => boolean>>> = {
  text: (value) => typeof value === 'string',
  number: Number.isSafeInteger,
  storedNumber: Number.isSafeInteger,
}

/** What a value means is known to its writer alone: this reads what that wrote, or passes by what it would not change. */
export function valueMaker(form: Form, reading: ValueReading): MakeValue {
  const write = valueWriter(form, reading)
  if (quoted.has(form)) return (value) => unquoted(write(value))
  const lasts = lasting[form]
  if (lasts === undefined) return (value) => parsed(write(value))
  return (value) => (lasts(value) && !Object.is(value, -0) ? value : parsed(write(value)))
}

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
