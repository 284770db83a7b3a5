import type { CompiledBranch, CompiledLevel, Row } from '../sql'
import type { Child, LevelRows } from '../read'
import {
  targetsOf,
  type Wrappings,
  rowAt,
  type FormOf,
  shownColumns,
  childrenWriter,
  type WriteChildren,
  type Closing,
  entryPieces,
  isShared,
  leadBehind,
  type PieceBranch,
  type RowWriter,
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

interface ColumnWriter {
  readonly key: string
  readonly position: number
  readonly write: WriteValue
  readonly shownAt: number | null
}

interface BranchWriter extends PieceBranch {
  readonly key: string
}

const keyOf = (name: string): string => `${JSON.stringify(name)}:`

/** Relations to any type, with all below them, have the present form in Strapi's older one too. */
const styleOf = ({ branch }: CompiledBranch, style: Style): Style =>
  branch.field.role === 'morph' && style.format === 'v4'
    ? { ...style, format: 'v5', wrappings: { relations: 'flat', localizations: 'flat' } }
    : style

/** Strapi's older form wraps a count like an entry. */
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
  const targets = new Map(
    targetsOf(level, branch).map((target) => [target, rowWriter(target, own, writers)] as const),
  )
  const write = (child: Child): string => {
    const writer = child.in === null ? undefined : targets.get(child.in.of)
    return child.in === null || writer === undefined ? '{}' : writer.write(child.in, child.at)
  }
  const { write: all, stepwise } = childrenWriter(branch, own.wrappings, write)
  return {
    key: keyOf(branch.branch.field.name),
    write: inFormat(branch, own.format, all),
    stepwise,
    writerOf: (rows) => targets.get(rows.of),
  }
}

/** The keys of members, with a comma before all but the first. */
const leadsOf = (members: readonly { readonly key: string }[], before: number): readonly string[] =>
  members.map(({ key }, index) => (before + index === 0 ? key : `,${key}`))

type WriteColumns = (row: Row) => string

function columnsWriter(columns: readonly ColumnWriter[]): WriteColumns {
  if (columns.every(({ shownAt }) => shownAt === null)) return wholeWriter(columns)
  const single = columns.map((column) => ({ shownAt: column.shownAt, write: wholeWriter([column]) }))
  return (row) =>
    single
      .filter(({ shownAt }) => shownAt === null || Number(row[shownAt]) === 1)
      .map(({ write }) => write(row))
      .join(',')
}

function wholeWriter(columns: readonly ColumnWriter[]): WriteColumns {
  const leads = leadsOf(columns, 0)
  return (row) => {
    let text = ''
    let member = 0
    for (const { position, write } of columns) {
      const value = row[position]
      text += leads[member] ?? ''
      text += value === null || value === undefined ? 'null' : write(value)
      member += 1
    }
    return text
  }
}

interface WriterParts extends Closing {
  readonly head: WriteColumns
}

const outside = ['"id":', '"documentId":']

/** Entries of Strapi 4's format; components have always been flat. */
function nested(columns: readonly ColumnWriter[], branches: readonly BranchWriter[]): WriterParts {
  const keys = columnsWriter(columns.filter(({ key }) => outside.includes(key)))
  const others = columns.filter(({ key }) => !outside.includes(key))
  const rest = columnsWriter(others)
  return {
    head: (row) => `{${keys(row)},"attributes":{${rest(row)}`,
    branches,
    leads: leadsOf(branches, others.length),
    mayBeBare: others.every(({ shownAt }) => shownAt !== null),
    tail: '}}',
  }
}

function plain(columns: readonly ColumnWriter[], branches: readonly BranchWriter[]): WriterParts {
  const write = columnsWriter(columns)
  const head = (row: Row): string => `{${write(row)}`
  return { head, branches, leads: leadsOf(branches, columns.length), mayBeBare: false, tail: '}' }
}

/** One writer for each level and form, shared by all branches that lead there. */
export interface Writers {
  readonly known: WeakMap<CompiledLevel, Partial<Record<Format, RowWriter>>>
  /** Rows are released once they are written, because each is written in one form only. */
  readonly letGo: boolean
}

function makeRowWriter(parts: WriterParts, format: Format, { letGo }: Writers): RowWriter {
  const { branches, tail } = parts
  // A row of several levels has its columns written once.
  const head = (rows: LevelRows, at: number): string => {
    const row = rowAt(rows, at)
    const known = rows.heads?.get(row)
    return known === undefined ? parts.head(row) : (known[format] ??= parts.head(row))
  }
  const whole = (rows: LevelRows, at: number): string => {
    let text = head(rows, at)
    let place = 0
    for (const { write } of branches) {
      const children = rows.children[place]?.[at]
      if (children !== null) {
        text += leadBehind(text, parts, place)
        text += write(children ?? [], rows.totals[place]?.[at] ?? null)
      }
      place += 1
    }
    return text + tail
  }
  return {
    write: (rows, at) => {
      if (isShared(rows, at)) return (rows.written[format][at] ??= whole(rows, at))
      const text = whole(rows, at)
      if (letGo) rows.rows[at] = null
      return text
    },
    pieces: (rows, at, entries) => {
      const own = head(rows, at)
      if (letGo) rows.rows[at] = null
      return entryPieces(own, parts, rows, at, entries)
    },
  }
}

export function rowWriter(level: CompiledLevel, style: Style, writers: Writers): RowWriter {
  const known = writers.known.get(level)?.[style.format]
  if (known !== undefined) return known
  const columns = shownColumns(level, style.formOf).map(({ name, form, position, shownAt }) => ({
    key: keyOf(name),
    position,
    write: valueWriter(form, style.reading),
    shownAt,
  }))
  const branches = level.branches.map((branch) => branchWriter(level, branch, style, writers))
  const isNested = style.format === 'v4' && level.level.model.kind !== 'component'
  const parts = isNested ? nested(columns, branches) : plain(columns, branches)
  const writer = makeRowWriter(parts, style.format, writers)
  writers.known.set(level, { ...writers.known.get(level), [style.format]: writer })
  return writer
}
