import type { CompiledBranch, CompiledLevel, Form } from '../sql'
import type { Child, LevelRows } from '../read'
import { once } from '../memory'
import { childrenForm, rowAt, shownColumns, targetsOf, typeOf } from './children-form'
import type { Style } from './row-writer'
import { type ValueReading, valueWriter } from './value-writer'

const parsed = (text: string): unknown => JSON.parse(text)

/** Forms whose text is null, or in quotes without anything to escape. */
const quoted = new Set<Form>(['plain', 'day', 'instant', 'storedInstant', 'clock', 'milliseconds', 'stamp'])

const lasting: Readonly<Partial<Record<Form, (value: unknown) => boolean>>> = {
  text: (value) => typeof value === 'string',
  number: Number.isSafeInteger,
  storedNumber: Number.isSafeInteger,
}

/** Only the writer knows the meaning of a value. Its text is parsed, unless the value would not change. */
export function valueMaker(form: Form, reading: ValueReading): (value: unknown) => unknown {
  const write = valueWriter(form, reading)
  if (quoted.has(form)) {
    return (value) => {
      const text = write(value)
      return text.startsWith('"') ? text.slice(1, -1) : parsed(text)
    }
  }
  const lasts = lasting[form]
  if (lasts === undefined) return (value) => parsed(write(value))
  return (value) => (lasts(value) && !Object.is(value, -0) ? value : parsed(write(value)))
}

export type MakeEntry = (rows: LevelRows, at: number) => object

/** One maker for each level, shared by all branches that lead there. */
export type EntryMakers = WeakMap<CompiledLevel, MakeEntry>

function childrenMaker(
  branch: CompiledBranch,
  { wrappings }: Style,
  makers: ReadonlyMap<CompiledLevel, MakeEntry>,
): (children: readonly Child[], total: number | null) => unknown {
  if (branch.branch.answer === 'count') return (children) => ({ count: children.length })
  const { many, tag, isWrapped, meta } = childrenForm(branch, wrappings)
  const make = (child: Child): object =>
    child.in === null ? { id: child.at } : (makers.get(child.in.of)?.(child.in, child.at) ?? {})
  const each =
    tag === null ? make : (child: Child): object => Object.assign(make(child), { [tag]: typeOf(child) })
  const one = ([child]: readonly Child[]): object | null => (child === undefined ? null : each(child))
  const inner = many ? (children: readonly Child[]): object[] => children.map((child) => each(child)) : one
  if (!isWrapped) return inner
  return meta === null
    ? (children) => ({ data: inner(children) })
    : (children, total) => ({ data: inner(children), meta: meta(total) })
}

export function entryMaker(level: CompiledLevel, style: Style, makers: EntryMakers): MakeEntry {
  return once(makers, level, () => {
    const columns = shownColumns(level, style.formOf).map(({ form, ...column }) => ({
      ...column,
      make: valueMaker(form, style.reading),
    }))
    const branches = level.branches.map((branch) => {
      const made = new Map(
        targetsOf(level, branch).map((target) => [target, entryMaker(target, style, makers)]),
      )
      return { name: branch.branch.field.name, make: childrenMaker(branch, style, made) }
    })
    return (rows, at) => {
      const entry: Record<string, unknown> = {}
      const row = rowAt(rows, at)
      for (const { name, position, make, shownAt } of columns) {
        if (shownAt !== null && Number(row[shownAt]) !== 1) continue
        const value = row[position]
        entry[name] = value === null || value === undefined ? null : make(value)
      }
      branches.forEach(({ name, make }, place) => {
        const children = rows.children[place]?.[at]
        if (children !== null) entry[name] = make(children ?? [], rows.totals[place]?.[at] ?? null)
      })
      return entry
    }
  })
}
