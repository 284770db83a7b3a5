import { type CompiledBranch, type CompiledLevel, type Form, positionOf, type Row, shownName } from '../sql'
import type { Child, PagePlace, LevelRows, EntryCounts } from '../read'
import type { LinkRole, Column, Model } from '../schema'
import type { Page } from '../plan'

interface ShownColumn {
  readonly name: string
  readonly position: number
  readonly form: Form
  /** The position of the boolean that hides the column in some rows; null without one. */
  readonly shownAt: number | null
}

export type FormOf = (model: Model, column: Column) => Form

export const shownColumns = ({ level, positions }: CompiledLevel, formOf: FormOf): readonly ShownColumn[] =>
  level.columns.map((column) => ({
    name: column.name,
    position: positionOf(positions, column.column),
    form: formOf(level.model, column),
    shownAt: column.shownIn === undefined ? null : positionOf(positions, shownName(column.shownIn)),
  }))

export function rowAt({ rows }: LevelRows, at: number): Row {
  const row = rows[at]
  if (row === null || row === undefined) throw new Error('a row that was released is written once more')
  return row
}

/** The page in the parameters of the request. */
export function pagination(page: Page, { total, edges }: PagePlace): object {
  const { limit } = page
  const pages = total === null ? {} : { pageCount: Math.ceil(total / limit), total }
  switch (page.by) {
    case 'page':
      return { page: page.start / limit + 1, pageSize: limit, ...pages }
    case 'offset':
      return { start: page.start, limit, ...(total === null ? {} : { total }) }
    case 'cursor':
      return { pageSize: limit, ...edges, ...pages }
  }
}

/** `wrapped`: in `{ "data": … }`. */
type Wrapping = 'flat' | 'wrapped'

export interface Wrappings {
  readonly relations: Wrapping
  readonly localizations: Wrapping
}

/** The member that names the type of an element of a zone, or of a relation to any type. */
const tags: Readonly<Partial<Record<LinkRole, string>>> = { zone: '__component', morph: '__type' }

/** Components belong to the entry itself and are never wrapped. */
function wrapping(role: LinkRole, wrappings: Wrappings): Wrapping {
  switch (role) {
    case 'component':
    case 'zone':
      return 'flat'
    case 'localizations':
      return wrappings.localizations
    case 'relation':
    case 'media':
    case 'morph':
      return wrappings.relations
  }
}

/** The form of children, as text and as objects. */
interface ChildrenForm {
  readonly many: boolean
  /** The member that names the type of a child; null without one. */
  readonly tag: string | null
  readonly isWrapped: boolean
  /** Makes the `meta` of children with this total. */
  readonly meta: ((total: number | null) => object) | null
}

export function childrenForm({ branch }: CompiledBranch, wrappings: Wrappings): ChildrenForm {
  const { field, page } = branch
  const { many, role } = field
  const several = field.targets.length !== 1 || role === 'zone'
  const isCounted = page?.withCount === true
  return {
    many,
    tag: several ? (tags[role] ?? null) : null,
    isWrapped: isCounted || wrapping(role, wrappings) === 'wrapped',
    meta: isCounted ? (total) => ({ pagination: pagination(page, { total, edges: null }) }) : null,
  }
}

export function typeOf(child: Child): string {
  return child.in === null ? child.type : child.in.of.level.model.uid
}

export function targetsOf({ targets }: CompiledLevel, branch: CompiledBranch): readonly CompiledLevel[] {
  return [...branch.targets.values()].flatMap((index) => targets[index] ?? [])
}

/** `total`: of all children of a page; null without a count. */
export type WriteChildren = (children: readonly Child[], total: number | null) => string
type WriteChild = (child: Child) => string

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

/** Writes children one by one. */
interface Stepwise {
  readonly before: string
  readonly after: (total: number | null) => string
  readonly each: WriteChild
  readonly many: boolean
  /** Children are written without a tag. */
  readonly isPlain: boolean
}

export function childrenWriter(
  compiled: CompiledBranch,
  wrappings: Wrappings,
  write: WriteChild,
): Pick<PieceBranch, 'write' | 'stepwise'> {
  if (compiled.branch.answer === 'count')
    return { write: (children) => `{"count":${String(children.length)}}`, stepwise: null }
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

/** `bare`: as Strapi's plugins answer, without `data` and `meta`. */
export type BodyForm =
  | { readonly kind: 'data' }
  | { readonly kind: 'total' }
  /** `defaultLocale`: of entries that are languages. */
  | { readonly kind: 'bare'; readonly defaultLocale: string | null }

/** Adds `isDefault` to entries that are languages. */
export function withDefault(writer: RowWriter, defaultLocale: string | null): RowWriter {
  if (defaultLocale === null) return writer
  const write: RowWriter['write'] = (rows, at) => {
    const entry = writer.write(rows, at)
    const { code } = JSON.parse(entry) as { readonly code?: unknown }
    return `${entry.slice(0, -1)},"isDefault":${String(code === defaultLocale)}}`
  }
  return { ...writer, write }
}

/** Texts, and pieces that are made of other texts. */
type Pieces = Iterator<string | Pieces>

export interface RowWriter {
  readonly write: (rows: LevelRows, at: number) => string
  /** The same text in pieces, for entries that show many others. */
  readonly pieces: (rows: LevelRows, at: number, entries: EntryCounts) => Pieces
}

/** All texts in order. A stack keeps the cost of a deep text constant; `yield*` would pass it through every level. */
export function* textsIn(pieces: Pieces): Iterable<string> {
  const open = [pieces]
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const next = inner.next()
    if (next.done === true) open.pop()
    else if (typeof next.value === 'string') yield next.value
    else open.push(next.value)
  }
}

export interface PieceBranch {
  readonly write: WriteChildren
  readonly stepwise: Stepwise | null
  readonly writerOf: (rows: LevelRows) => RowWriter | undefined
}

/** The parts of an entry behind its columns. */
export interface Closing {
  readonly branches: readonly PieceBranch[]
  /** The key of each branch. */
  readonly leads: readonly string[]
  /** The entry may have no column, so that the first key needs no comma. */
  readonly mayBeBare: boolean
  readonly tail: string
}

/** The key of a branch behind this text. */
export function leadBehind(text: string, { leads, mayBeBare }: Closing, place: number): string {
  const lead = leads[place] ?? ''
  if (!mayBeBare) return lead
  const key = lead.replace(/^,/, '')
  return text.endsWith('{') ? key : `,${key}`
}

export const isShared = ({ ways }: LevelRows, at: number): boolean => (ways[at] ?? 0) > 1

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
  { writerOf }: PieceBranch,
  { each, isPlain }: Stepwise,
  child: Child,
  entries: EntryCounts,
): string | Pieces {
  const writer = child.in === null || !isPlain ? undefined : writerOf(child.in)
  const isWhole = child.in === null || isShared(child.in, child.at) || !isLong(weigh(child, entries))
  return writer === undefined || isWhole ? each(child) : writer.pieces(child.in, child.at, entries)
}

export function* entryPieces(
  head: string,
  closing: Closing,
  rows: LevelRows,
  at: number,
  entries: EntryCounts,
): Generator<string | Pieces, void> {
  let text = head
  const { branches, tail } = closing
  for (const [place, branch] of branches.entries()) {
    const shown = rows.children[place]?.[at]
    if (shown === null) continue
    const children = shown ?? []
    const total = rows.totals[place]?.[at] ?? null
    const { stepwise } = branch
    text += leadBehind(text, closing, place)
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
