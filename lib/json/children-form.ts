import { type CompiledBranch, type CompiledLevel, type Form, positionOf, type Row, shownName } from '../sql'
import type { Child, LevelRows, PagePlace } from '../read'
import type { LinkRole, Column, Model } from '../schema'
import type { Page } from '../plan'

interface ShownColumn {
  readonly name: string
  readonly position: number
  readonly form: Form
  /** Position of the boolean that hides the column in some rows. */
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

export function pagination(page: Page, { total, isEstimated, edges }: PagePlace): object {
  const { limit } = page
  const totals = total === null ? {} : { total, ...(isEstimated === true ? { estimated: true } : {}) }
  const pages = total === null ? {} : { pageCount: Math.ceil(total / limit), ...totals }
  switch (page.by) {
    case 'page':
      return { page: page.start / limit + 1, pageSize: limit, ...pages }
    case 'offset':
      return { start: page.start, limit, ...totals }
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
function wrapping(role: LinkRole, { localizations, relations }: Wrappings): Wrapping {
  switch (role) {
    case 'component':
    case 'zone':
      return 'flat'
    case 'localizations':
      return localizations
    case 'relation':
    case 'media':
    case 'morph':
      return relations
  }
}

interface ChildrenForm {
  readonly many: boolean
  /** The member that names the type of a child; null without one. */
  readonly tag: string | null
  readonly isWrapped: boolean
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
