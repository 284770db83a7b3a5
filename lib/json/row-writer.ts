import type { CompiledBranch, CompiledLevel, Row } from '../sql'
import type { Child, EntryCounts, LevelRows } from '../read'
import {
  childrenForm,
  type FormOf,
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

export type Pieces = Iterator<string | Pieces>

export interface RowWriter {
  readonly write: (rows: LevelRows, at: number) => string
  /** The same text in pieces, for entries that show many others. */
  readonly pieces: (rows: LevelRows, at: number, entries: EntryCounts) => Pieces
}

/** One writer for each level and form, shared by all branches that lead there. */
export interface Writers {
  readonly known: WeakMap<CompiledLevel, Partial<Record<Format, RowWriter>>>
  /** Rows are released once they are written, because each is written in one form only. */
  readonly letGo: boolean
}

interface ColumnWriter {
  readonly key: string
  readonly position: number
  readonly write: WriteValue
  readonly shownAt: number | null
}

/** `total`: of all children of a page; null without a count. */
type WriteChildren = (children: readonly Child[], total: number | null) => string
type WriteChild = (child: Child) => string

interface Stepwise {
  readonly before: string
  readonly after: (total: number | null) => string
  readonly each: WriteChild
  readonly many: boolean
  readonly isPlain: boolean
}

interface BranchWriter {
  readonly key: string
  readonly write: WriteChildren
  readonly stepwise: Stepwise | null
  readonly writerOf: (rows: LevelRows) => RowWriter | undefined
}

type WriteColumns = (row: Row) => string

interface WriterParts {
  readonly head: WriteColumns
  readonly branches: readonly BranchWriter[]
  readonly leads: readonly string[]
  /** The entry may have no column, so that the first key needs no comma. */
  readonly mayBeBare: boolean
  readonly tail: string
}

const keyOf = (name: string): string => `${JSON.stringify(name)}:`

/** The keys of members, with a comma before all but the first. */
const leadsOf = (members: readonly { readonly key: string }[], before: number): readonly string[] =>
  members.map(({ key }, index) => (before + index === 0 ? key : `,${key}`))

function tagged(tag: string, write: WriteChild): WriteChild {
  return (child) => {
    const text = child.in === null ? `{"id":${String(child.at)}}` : write(child)
    return `${text.slice(0, -1)},"${tag}":${JSON.stringify(typeOf(child))}}`
  }
}

function list(write: WriteChild): WriteChildren {
  return (children) => {
    let text = '['
    let separator = ''
    for (const child of children) {
      text += separator + write(child)
      separator = ','
    }
    return `${text}]`
  }
}

function childrenWriter(
  compiled: CompiledBranch,
  wrappings: Wrappings,
  write: WriteChild,
): { readonly write: WriteChildren; readonly stepwise: Stepwise } {
  const { many, tag, isWrapped, meta } = childrenForm(compiled, wrappings)
  const each = tag === null ? write : tagged(tag, write)
  const inner: WriteChildren = many ? list(each) : ([child]) => (child === undefined ? 'null' : each(child))
  const before = isWrapped ? '{"data":' : ''
  const end = isWrapped ? '}' : ''
  const after =
    meta === null ? () => end : (total: number | null) => `,"meta":${JSON.stringify(meta(total))}}`
  return {
    write: isWrapped ? (children, total) => before + inner(children, total) + after(total) : inner,
    stepwise: {
      before: many ? `${before}[` : before,
      after: many ? (total) => `]${after(total)}` : after,
      each,
      many,
      isPlain: tag === null,
    },
  }
}

/** Relations to any type, with all below them, have the present form in Strapi's older one too. */
const styleOf = ({ branch }: CompiledBranch, style: Style): Style =>
  branch.field.role === 'morph' && style.format === 'v4'
    ? { ...style, format: 'v5', wrappings: { relations: 'flat', localizations: 'flat' } }
    : style

/** Strapi's older form wraps a count like an entry. */
function countWriter({ branch: { field } }: CompiledBranch, format: Format): WriteChildren {
  const isEntry = field.role !== 'component' && field.role !== 'zone'
  if (format === 'v5' || !isEntry) return (children) => `{"count":${String(children.length)}}`
  return (children) => `{"data":{"attributes":{"count":${String(children.length)}}}}`
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
  const { field, answer } = branch.branch
  const shared = {
    key: keyOf(field.name),
    writerOf: (rows: LevelRows): RowWriter | undefined => targets.get(rows.of),
  }
  if (answer === 'count') return { ...shared, write: countWriter(branch, own.format), stepwise: null }
  const write = (child: Child): string => {
    const writer = child.in === null ? undefined : targets.get(child.in.of)
    return child.in === null || writer === undefined ? '{}' : writer.write(child.in, child.at)
  }
  return { ...shared, ...childrenWriter(branch, own.wrappings, write) }
}

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

function leadBehind(text: string, { leads, mayBeBare }: WriterParts, place: number): string {
  const lead = leads[place] ?? ''
  if (!mayBeBare) return lead
  const key = lead.replace(/^,/, '')
  return text.endsWith('{') ? key : `,${key}`
}

const isShared = ({ ways }: LevelRows, at: number): boolean => (ways[at] ?? 0) > 1

/** An entry that shows this many, itself included, is written in pieces. */
const long = 32

export const isLong = (entries: number): boolean => entries >= long

const weigh = (child: Child, entries: EntryCounts): number =>
  child.in === null ? 1 : entries.at(child.in, child.at)

function showMany(children: readonly Child[], entries: EntryCounts): boolean {
  let shown = 0
  for (const child of children) shown += weigh(child, entries)
  return isLong(shown)
}

/** Shared entries are written whole, once. */
function childPieces(
  { writerOf }: BranchWriter,
  { each, isPlain }: Stepwise,
  child: Child,
  entries: EntryCounts,
): string | Pieces {
  const writer = child.in === null || !isPlain ? undefined : writerOf(child.in)
  const isWhole = child.in === null || isShared(child.in, child.at) || !isLong(weigh(child, entries))
  return writer === undefined || isWhole ? each(child) : writer.pieces(child.in, child.at, entries)
}

function* entryPieces(
  head: string,
  parts: WriterParts,
  rows: LevelRows,
  at: number,
  entries: EntryCounts,
): Generator<string | Pieces, void> {
  let text = head
  const { branches, tail } = parts
  for (const [place, branch] of branches.entries()) {
    const shown = rows.children[place]?.[at]
    if (shown === null) continue
    const children = shown ?? []
    const total = rows.totals[place]?.[at] ?? null
    const { stepwise } = branch
    text += leadBehind(text, parts, place)
    if (stepwise === null || !showMany(children, entries)) {
      text += branch.write(children, total)
      continue
    }
    text += stepwise.before
    for (const child of stepwise.many ? children : children.slice(0, 1)) {
      yield text
      text = ','
      yield childPieces(branch, stepwise, child, entries)
    }
    text = stepwise.after(total)
  }
  yield text + tail
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
