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

/** Relations to any type have kept the flat form even where Strapi answers in its older format. */
const styleOf = ({ branch }: CompiledBranch, style: Style): Style =>
  branch.field.role === 'morph' ? { ...style, format: 'v5' } : style

function branchWriter(level: CompiledLevel, branch: CompiledBranch, style: Style): BranchWriter {
  const writers = new Map<CompiledLevel, WriteRow>()
  for (const index of branch.targets.values()) {
    const target = level.targets[index]
    if (target !== undefined) writers.set(target, rowWriter(target, styleOf(branch, style)))
  }
  const write = (child: Child): string => {
    const writeRow = child.in === null ? undefined : writers.get(child.in.of)
    return child.in === null || writeRow === undefined ? '{}' : writeRow(child.in, child.at)
  }
  return { key: keyOf(branch.branch.field.name), write: childrenWriter(branch, style.wrappings, write) }
}

function members(columns: readonly ColumnWriter[], branches: readonly BranchWriter[]): WriteRow {
  return (rows, at) => {
    const row = rows.rows[at] ?? []
    let text = ''
    for (const { key, position, write } of columns) {
      const value = row[position]
      text += text === '' ? key : `,${key}`
      text += value === null || value === undefined ? 'null' : write(value)
    }
    branches.forEach(({ key, write }, index) => {
      text += `${text === '' ? key : `,${key}`}${write(rows.children[index]?.[at] ?? [], rows.totals[index]?.[at] ?? null)}`
    })
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

/** An entry that many others lead to is written once for an answer. */
function remembered(write: WriteRow): WriteRow {
  const texts = new WeakMap<Rows, string[]>()
  return (rows, at) => {
    let written = texts.get(rows)
    if (written === undefined) {
      written = []
      texts.set(rows, written)
    }
    return (written[at] ??= write(rows, at))
  }
}

export function rowWriter(level: CompiledLevel, style: Style): WriteRow {
  const columns = columnWriters(level, style)
  const branches = level.branches.map((branch) => branchWriter(level, branch, style))
  const writeMembers = members(columns, branches)
  const isNested = style.format === 'v4' && level.level.model.kind !== 'component'
  return remembered(isNested ? nested(columns, branches) : (rows, at) => `{${writeMembers(rows, at)}}`)
}
