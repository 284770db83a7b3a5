import {
  type CompiledBranch,
  type CompiledLevel,
  type Row,
  type Form,
  positionOf,
  shownName,
} from '../compile'
import type { Child, PagePlace, LevelRows, EntryCounts } from '../load'
import type { LinkRole, Column, Model } from '../schema'
import type { Page } from '../plan'

/** A value that entries of a level show. */
interface ShownColumn {
  readonly name: string
  readonly position: number
  readonly form: Form
  /** Where the row says whether it shows it; null where all do. */
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

/** A row that is still to be shown. */
export function rowAt({ rows }: LevelRows, at: number): Row {
  const row = rows[at]
  if (row === null || row === undefined) throw new Error('a row that was let go of is written once more')
  return row
}

/** The page in the terms in which it was asked for. */
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

/** How relations are put: the entries directly, or as `{ "data": … }`. */
export type Wrapping = 'flat' | 'wrapped'

export interface Wrappings {
  readonly relations: Wrapping
  readonly localizations: Wrapping
}

/** What an element of a zone, or of a relation to any type, says of its own type. */
const tags: Readonly<Record<'zone' | 'morph', string>> = { zone: '__component', morph: '__type' }

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

/** What stands beside the children as `meta`, by how many there are in all. */
export type MetaOf = (total: number | null) => object

/** What is shown of the children of a branch, however it is written down. */
export interface ChildrenForm {
  readonly many: boolean
  /** Under which name a child tells its type; null where it does not. */
  readonly tag: string | null
  /** Whether they stand under `data`. */
  readonly isWrapped: boolean
  readonly meta: MetaOf | null
}

function metaOf({ branch: { page } }: CompiledBranch): MetaOf | null {
  if (page?.withCount !== true) return null
  return (total) => ({ pagination: pagination(page, { total, edges: null }) })
}

export function childrenForm(compiled: CompiledBranch, wrappings: Wrappings): ChildrenForm {
  const { field } = compiled.branch
  const { many, role } = field
  const several = field.targets.length !== 1 || role === 'zone'
  const meta = metaOf(compiled)
  return {
    many,
    tag: several && (role === 'zone' || role === 'morph') ? tags[role] : null,
    isWrapped: meta !== null || wrapping(role, wrappings) === 'wrapped',
    meta,
  }
}

export function typeOf(child: Child): string {
  return child.in === null ? child.type : child.in.of.level.model.uid
}

/** What a branch of this level leads to. */
export function targetsOf({ targets }: CompiledLevel, branch: CompiledBranch): readonly CompiledLevel[] {
  return [...branch.targets.values()].flatMap((index) => targets[index] ?? [])
}

/** `total`: of how many the children are a page; null where it is not counted. */
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

const one =
  (write: WriteChild): WriteChildren =>
  ([child]) =>
    child === undefined ? 'null' : write(child)

const count: WriteChildren = (children) => `{"count":${String(children.length)}}`

/** What stands around the children of a branch. */
interface ChildrenFrame {
  readonly before: string
  readonly after: (total: number | null) => string
}

function frameOf({ isWrapped, meta }: ChildrenForm): ChildrenFrame | null {
  if (!isWrapped) return null
  const closing = meta === null ? null : (total: number | null) => `,"meta":${JSON.stringify(meta(total))}}`
  return { before: '{"data":', after: closing ?? (() => '}') }
}

/** How the children of a branch are written one by one. */
interface Stepwise extends ChildrenFrame {
  readonly each: WriteChild
  readonly many: boolean
  /** Each is the entry itself and nothing besides. */
  readonly isPlain: boolean
}

interface ChildrenWriter {
  readonly write: WriteChildren
  readonly stepwise: Stepwise | null
}

export function childrenWriter(
  compiled: CompiledBranch,
  wrappings: Wrappings,
  write: WriteChild,
): ChildrenWriter {
  if (compiled.branch.answer === 'count') return { write: count, stepwise: null }
  const form = childrenForm(compiled, wrappings)
  const { many, tag } = form
  const each = tag === null ? write : tagged(tag, write)
  const inner = many ? list(each) : one(each)
  const frame = frameOf(form)
  const { before, after } = frame ?? { before: '', after: () => '' }
  return {
    write: frame === null ? inner : (children, total) => before + inner(children, total) + after(total),
    stepwise: {
      before: many ? `${before}[` : before,
      after: many ? (total) => `]${after(total)}` : after,
      each,
      many,
      isPlain: tag === null,
    },
  }
}

/** What stands around the entries of an answer. */
export type BodyForm =
  | { readonly kind: 'data' }
  | { readonly kind: 'total' }
  | {
      readonly kind: 'bare'
      /** The language that is told to be the default, in entries that are languages. */
      readonly defaultLocale: string | null
    }

/** `entry` is the text of an object that is not empty. */
function withDefault(entry: string, defaultLocale: string): string {
  const { code } = JSON.parse(entry) as { readonly code?: unknown }
  return `${entry.slice(0, -1)},"isDefault":${String(code === defaultLocale)}}`
}

export function finished(
  writer: RowWriter,
  { defaultLocale }: Extract<BodyForm, { readonly kind: 'bare' }>,
): RowWriter {
  if (defaultLocale === null) return writer
  return { ...writer, write: (rows, at) => withDefault(writer.write(rows, at), defaultLocale) }
}

/** Texts, and in the place of some the pieces that they are made of. */
type Pieces = Iterator<string | Pieces>

export interface RowWriter {
  readonly write: (rows: LevelRows, at: number) => string
  /** The same text, piece by piece: for entries that show many others. */
  readonly pieces: (rows: LevelRows, at: number, entries: EntryCounts) => Pieces
}

/** The texts one after the other, each handed out at once: handed from level to level it would cost more the deeper it is. */
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

/** What follows the columns of an entry: its branches, each behind its key, and what closes it. */
export interface Closing {
  readonly branches: readonly PieceBranch[]
  readonly leads: readonly string[]
  /** Whether nothing may stand before the first that is shown, as of entries that show some of their attributes only. */
  readonly mayBeBare: boolean
  readonly tail: string
}

/** The key of a branch, behind what is written of the entry. */
export function leadBehind(text: string, { leads, mayBeBare }: Closing, place: number): string {
  const lead = leads[place] ?? ''
  if (!mayBeBare) return lead
  const key = lead.replace(/^,/, '')
  return text.endsWith('{') ? key : `,${key}`
}

export const isShared = ({ ways }: LevelRows, at: number): boolean => (ways[at] ?? 0) > 1

/** An entry that shows this many, itself included, is written piece by piece. */
const long = 32

export const isLong = (entries: number): boolean => entries >= long

const weigh = (child: Child, entries: EntryCounts): number =>
  child.in === null ? 1 : entries.at(child.in, child.at)

function showMany(children: readonly Child[], entries: EntryCounts): boolean {
  let shown = 0
  for (const child of children) shown += weigh(child, entries)
  return isLong(shown)
}

/** What many lead to is written whole, once. */
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
