import { type CompiledBranch, type CompiledLevel, type Form, positionOf, type Row, shownName } from '../sql'
import type { Child, LevelRows, PagePlace } from '../read'
import type { LinkField, LinkRole, Column, Model } from '../schema'
import type { Page } from '../plan'

export type FormOf = (model: Model, column: Column) => Form

export const shownColumns = (
  { level, positions }: Pick<CompiledLevel, 'level' | 'positions'>,
  formOf: FormOf,
) =>
  level.columns.map((column) => ({
    name: column.name,
    position: positionOf(positions, column.column),
    form: formOf(level.model, column),
    /** Position of the boolean that hides the column in some rows. */
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
export type Wrappings = Readonly<Record<'relations' | 'localizations', 'flat' | 'wrapped'>>

/** The member that names the type of an element of a zone, or of a relation to any type. */
const tags: Readonly<Partial<Record<LinkRole, string>>> = { zone: '__component', morph: '__type' }

/** False for components, which belong to the entry itself and are never wrapped. */
export const isOfEntry = ({ role }: LinkField): boolean => role !== 'component' && role !== 'zone'

export function childrenForm({ branch }: CompiledBranch, wrappings: Wrappings) {
  const { field, page } = branch
  const { many, role, targets } = field
  const several = targets.length !== 1 || role === 'zone'
  const wrapping = wrappings[role === 'localizations' ? 'localizations' : 'relations']
  const isCounted = page?.withCount === true
  return {
    many,
    /** The member that names the type of a child; null without one. */
    tag: several ? (tags[role] ?? null) : null,
    isWrapped: isCounted || (isOfEntry(field) && wrapping === 'wrapped'),
    meta: isCounted
      ? (total: number | null) => ({ pagination: pagination(page, { total, edges: null }) })
      : null,
  }
}

export const typeOf = (child: Child): string => (child.in === null ? child.type : child.in.of.level.model.uid)

export const targetsOf = ({ targets }: CompiledLevel, branch: CompiledBranch): readonly CompiledLevel[] =>
  [...branch.targets.values()].flatMap((index) => targets[index] ?? [])
