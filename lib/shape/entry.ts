import type { Child, CompiledBranch, CompiledLevel, Form, Rows } from '../load'
import type { ColumnType } from '../schema'
import { childrenWriter, type WriteChildren, type Wrappings } from './branch'
import { type Reading, valueWriter, type WriteValue } from './value'

/** `v4`: what an entry has is put under `attributes`, as Strapi 4 did. */
export type Format = 'v5' | 'v4'

export interface Style {
  readonly forms: Readonly<Record<ColumnType, Form>>
  readonly reading: Reading
  readonly wrappings: Wrappings
  readonly format: Format
}

interface ColumnWriter {
  readonly key: string
  readonly position: number
  readonly write: WriteValue
}

interface BranchWriter {
  readonly key: string
  readonly write: WriteChildren
}

type WriteRow = (rows: Rows, at: number) => string

const keyOf = (name: string): string => `${JSON.stringify(name)}:`

function columnWriters({ level, positions }: CompiledLevel, style: Style): readonly ColumnWriter[] {
  return level.columns.map(({ name, column, type }) => ({
    key: keyOf(name),
    position: positions.get(column) ?? 0,
    write: valueWriter(style.forms[type], style.reading),
  }))
}

const flat: Wrappings = { relations: 'flat', localizations: 'flat' }

/** Relations to any type, with all below them, keep the present form even where Strapi answers in its older one. */
const styleOf = ({ branch }: CompiledBranch, style: Style): Style =>
  branch.field.role === 'morph' && style.format === 'v4' ? { ...style, format: 'v5', wrappings: flat } : style

/** Strapi's older form takes a count for an entry like any other. */
function inFormat({ branch }: CompiledBranch, format: Format, write: WriteChildren): WriteChildren {
  const { field, answer } = branch
  const isEntry = field.role !== 'component' && field.role !== 'zone'
  if (answer !== 'count' || format === 'v5' || !isEntry) return write
  return (children, total) => `{"data":{"attributes":${write(children, total)}}}`
}

function branchWriter(
  level: CompiledLevel,
  branch: CompiledBranch,
  style: Style,
  writers: Writers,
): BranchWriter {
  const own = styleOf(branch, style)
  const targets = new Map<CompiledLevel, WriteRow>()
  for (const index of branch.targets.values()) {
    const target = level.targets[index]
    if (target !== undefined) targets.set(target, rowWriter(target, own, writers))
  }
  const write = (child: Child): string => {
    const writeRow = child.in === null ? undefined : targets.get(child.in.of)
    return child.in === null || writeRow === undefined ? '{}' : writeRow(child.in, child.at)
  }
  const writeAll = inFormat(branch, own.format, childrenWriter(branch, own.wrappings, write))
  return { key: keyOf(branch.branch.field.name), write: writeAll }
}

function members(columns: readonly ColumnWriter[], branches: readonly BranchWriter[]): WriteRow {
  const leads = [...columns, ...branches].map(({ key }, index) => (index === 0 ? key : `,${key}`))
  return (rows, at) => {
    const row = rows.rows[at] ?? []
    let text = ''
    let member = 0
    for (const { position, write } of columns) {
      const value = row[position]
      text += leads[member] ?? ''
      text += value === null || value === undefined ? 'null' : write(value)
      member += 1
    }
    let place = 0
    for (const { write } of branches) {
      text += leads[member + place] ?? ''
      text += write(rows.children[place]?.[at] ?? [], rows.totals[place]?.[at] ?? null)
      place += 1
    }
    return text
  }
}

const outside = ['"id":', '"documentId":']

/** Entries of Strapi 4's format; components have always been flat. */
function nested(columns: readonly ColumnWriter[], branches: readonly BranchWriter[]): WriteRow {
  const writeKeys = members(
    columns.filter(({ key }) => outside.includes(key)),
    [],
  )
  const writeRest = members(
    columns.filter(({ key }) => !outside.includes(key)),
    branches,
  )
  return (rows, at) => `{${writeKeys(rows, at)},"attributes":{${writeRest(rows, at)}}}`
}

/** One writer for each level and form, shared by all branches that lead there. */
export type Writers = Map<CompiledLevel, Partial<Record<Format, WriteRow>>>

export function rowWriter(level: CompiledLevel, style: Style, writers: Writers): WriteRow {
  const known = writers.get(level)?.[style.format]
  if (known !== undefined) return known
  const columns = columnWriters(level, style)
  const branches = level.branches.map((branch) => branchWriter(level, branch, style, writers))
  const writeMembers = members(columns, branches)
  const isNested = style.format === 'v4' && level.level.model.kind !== 'component'
  const write: WriteRow = isNested ? nested(columns, branches) : (rows, at) => `{${writeMembers(rows, at)}}`
  const writeOnce: WriteRow = (rows, at) => (rows.written[style.format][at] ??= write(rows, at))
  writers.set(level, { ...writers.get(level), [style.format]: writeOnce })
  return writeOnce
}
