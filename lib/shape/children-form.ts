import {
  type CompiledBranch,
  type CompiledLevel,
  type Row,
  type Form,
  positionOf,
  shownName,
} from '../compile'
import type { Child, PagePlace, LevelRows } from '../load'
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
