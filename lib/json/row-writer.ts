import type { CompiledBranch, CompiledLevel, Row } from '../sql'
import type { Child, EntryCounts, LevelRows } from '../read'
import { once } from '../memory'
import {
  childrenForm,
  type FormOf,
  isOfEntry,
  rowAt,
  shownColumns,
  targetsOf,
  typeOf,
  type Wrappings,
} from './children-form'
import { type ValueReading, valueWriter, type WriteValue } from './value-writer'

/** `v4`: members are put under `attributes`, as in Strapi 4. */
export type Format = 'v5' | 'v4'

export interface Style {
  readonly formOf: FormOf
  readonly reading: ValueReading
  readonly wrappings: Wrappings
  readonly format: Format
}

export interface RowWriter {
  readonly write: (rows: LevelRows, at: number) => string
  /** The same text in pieces, for entries that show many others. */
  readonly pieces: (rows: LevelRows, at: number, entries: EntryCounts) => Iterable<string>
}

/** One writer for each level and form, shared by all branches that lead there. */
export interface Writers {
  readonly known: Readonly<Record<Format, WeakMap<CompiledLevel, RowWriter>>>
  /** Rows are released once they are written, because each is written in one form only. */
  readonly letGo: boolean
}

interface ColumnWriter {
  /** The text before the value, of the first member and of the others. */
  readonly key: { readonly first: string; readonly next: string }
  readonly position: number
  readonly write: WriteValue
  readonly shownAt: number | null
}

/** `total`: of all children of a page; null without a count. */
interface ChildrenWriter {
  readonly write: (children: readonly Child[], total: number | null) => string
  readonly pieces: (
    children: readonly Child[],
    total: number | null,
    entries: EntryCounts,
  ) => Iterable<string>
}

const keyOf = (name: string): string => `${JSON.stringify(name)}:`

function columnsWriter(columns: readonly ColumnWriter[]): (row: Row) => string {
  return (row) => {
    let text = ''
    for (const { key, position, write, shownAt } of columns) {
      if (shownAt !== null && Number(row[shownAt]) !== 1) continue
      const value = row[position]
      text += text === '' ? key.first : key.next
      text += value === null || value === undefined ? 'null' : write(value)
    }
    return text
  }
}

const isShared = ({ ways }: LevelRows, at: number): boolean => (ways[at] ?? 0) > 1

/** An entry that shows this many, itself included, is written in pieces. */
export const longEntry = 32

function showMany(children: readonly Child[], entries: EntryCounts): boolean {
  let shown = 0
  for (const child of children) shown += child.in === null ? 1 : entries.at(child.in, child.at)
  return shown >= longEntry
}

/** Strapi's older form wraps a count like an entry. */
function countWriter({ branch: { field } }: CompiledBranch, format: Format): ChildrenWriter {
  const [before, after] =
    format === 'v4' && isOfEntry(field) ? ['{"data":{"attributes":{"count":', '}}}'] : ['{"count":', '}']
  const write = ({ length }: readonly Child[]): string => before + String(length) + after
  return { write, pieces: (children) => [write(children)] }
}

function childrenWriter(
  branch: CompiledBranch,
  { wrappings }: Style,
  writers: ReadonlyMap<CompiledLevel, RowWriter>,
): ChildrenWriter {
  const { many, tag, isWrapped, meta } = childrenForm(branch, wrappings)
  const before = `${isWrapped ? '{"data":' : ''}${many ? '[' : ''}`
  const [end, close] = [many ? ']' : '', isWrapped ? '}' : '']
  const after = (total: number | null): string =>
    meta === null ? end + close : `${end},"meta":${JSON.stringify(meta(total))}${close}`
  const untagged = (child: Child): string =>
    child.in === null
      ? `{"id":${String(child.at)}}`
      : (writers.get(child.in.of)?.write(child.in, child.at) ?? '{}')
  const each =
    tag === null
      ? untagged
      : (child: Child) => `${untagged(child).slice(0, -1)},"${tag}":${JSON.stringify(typeOf(child))}}`
  const list = (children: readonly Child[]): string => {
    let text = ''
    let separator = ''
    for (const child of children) {
      text += separator + each(child)
      separator = ','
    }
    return text
  }
  const inner = many ? list : ([child]: readonly Child[]) => (child === undefined ? 'null' : each(child))
  /** Shared entries are written whole, once. */
  const childPieces = (child: Child, entries: EntryCounts): Iterable<string> => {
    const isWhole = child.in === null || tag !== null || isShared(child.in, child.at)
    if (isWhole || entries.at(child.in, child.at) < longEntry) return [each(child)]
    return writers.get(child.in.of)?.pieces(child.in, child.at, entries) ?? []
  }
  return {
    write: (children, total) => before + inner(children) + after(total),
    *pieces(children, total, entries) {
      let text = before
      for (const child of many ? children : children.slice(0, 1)) {
        yield text
        yield* childPieces(child, entries)
        text = ','
      }
      yield after(total)
    },
  }
}

/** Relations to any type, with all below them, have the present form in Strapi's older one too. */
const styleOf = ({ branch }: CompiledBranch, style: Style): Style =>
  branch.field.role === 'morph' && style.format === 'v4'
    ? { ...style, format: 'v5', wrappings: { relations: 'flat', localizations: 'flat' } }
    : style

function branchWriter(
  level: CompiledLevel,
  branch: CompiledBranch,
  style: Style,
  writers: Writers,
): ChildrenWriter & { readonly lead: string } {
  const own = styleOf(branch, style)
  const { field, answer } = branch.branch
  const lead = `,${keyOf(field.name)}`
  if (answer === 'count') return { lead, ...countWriter(branch, own.format) }
  const targets = targetsOf(level, branch).map((target) => [target, rowWriter(target, own, writers)] as const)
  return { lead, ...childrenWriter(branch, own, new Map(targets)) }
}

const keys = ['id', 'documentId']

/** Strapi 4 has the members of an entry under `attributes`; components have always been flat. */
function headWriter({ level, positions }: CompiledLevel, { formOf, reading, format }: Style) {
  const columns = shownColumns({ level, positions }, formOf).map(({ name, form, ...column }) => ({
    ...{ ...column, name, key: { first: keyOf(name), next: `,${keyOf(name)}` } },
    write: valueWriter(form, reading),
  }))
  const isNested = format === 'v4' && level.model.kind !== 'component'
  const nested = isNested ? columns.filter(({ name }) => !keys.includes(name)) : columns
  const writeNested = columnsWriter(nested)
  /** The head may have no member, so that the first branch needs no comma. */
  const mayBeBare = nested.every(({ shownAt }) => shownAt !== null)
  if (!isNested) return { head: (row: Row) => `{${writeNested(row)}`, mayBeBare, tail: '}' }
  const writeKeys = columnsWriter(columns.filter(({ name }) => keys.includes(name)))
  const head = (row: Row): string => `{${writeKeys(row)},"attributes":{${writeNested(row)}`
  return { head, mayBeBare, tail: '}}' }
}

function makeRowWriter(level: CompiledLevel, style: Style, writers: Writers): RowWriter {
  const { format } = style
  const { head, mayBeBare, tail } = headWriter(level, style)
  const branches = level.branches.map((branch) => branchWriter(level, branch, style, writers))

  /** A row of several levels has its columns written once. */
  const takeHead = (rows: LevelRows, at: number): string => {
    const row = rowAt(rows, at)
    if (writers.letGo && !isShared(rows, at)) rows.rows[at] = null
    const known = rows.heads?.get(row)
    return known === undefined ? head(row) : (known[format] ??= head(row))
  }
  const whole = (rows: LevelRows, at: number): string => {
    let text = takeHead(rows, at)
    let isBare = mayBeBare && text.endsWith('{')
    let place = 0
    for (const { lead, write } of branches) {
      const children = rows.children[place]?.[at]
      if (children !== null) {
        text += isBare ? lead.slice(1) : lead
        text += write(children ?? [], rows.totals[place]?.[at] ?? null)
        isBare = false
      }
      place += 1
    }
    return text + tail
  }
  return {
    write: (rows, at) =>
      isShared(rows, at) ? (rows.written[format][at] ??= whole(rows, at)) : whole(rows, at),
    *pieces(rows, at, entries) {
      let text = takeHead(rows, at)
      let isBare = mayBeBare && text.endsWith('{')
      for (const [place, { lead, write, pieces }] of branches.entries()) {
        const children = rows.children[place]?.[at]
        if (children === null) continue
        text += isBare ? lead.slice(1) : lead
        isBare = false
        const shown = children ?? []
        const total = rows.totals[place]?.[at] ?? null
        if (showMany(shown, entries)) {
          yield text
          yield* pieces(shown, total, entries)
          text = ''
        } else text += write(shown, total)
      }
      yield text + tail
    },
  }
}

export const rowWriter = (level: CompiledLevel, style: Style, writers: Writers): RowWriter =>
  once(writers.known[style.format], level, () => makeRowWriter(level, style, writers))
