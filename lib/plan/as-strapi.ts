import { type Ask, type AskedSort, includesAll } from '../query'
import {
  type Column,
  type ColumnType,
  type LinkField,
  localeColumn,
  type Model,
  roleUid,
  userUid,
} from '../schema'
import { leadsThroughLinks, type FaultBehindLink, type Level } from './level'
import type { Planning } from './planning'

// What Strapi's way of loading leaves in its answers. Front ends that were written against them can have it kept.

/** The other side of a relation to any type tells its own rows by the type that they name. */
const isInverse = ({ role, link }: LinkField): boolean =>
  role === 'relation' && link.via !== 'here' && link.fixed.length > 0

/**
 * Behind the inverse of a relation to any type Strapi cleans no entry: at every level, even entries that are not localized
 * show their empty `locale`.
 */
export const showsEmptyLocale = ({ loadingArtefacts }: Planning, field: LinkField): boolean =>
  loadingArtefacts && isInverse(field)

export const hasEmptyLocale = (planning: Planning, model: Model): boolean =>
  model.kind !== 'component' &&
  !model.columns.has('locale') &&
  !model.hidesLocale &&
  planning.hasColumn(model, localeColumn.column)

/** Strapi takes the users of a role out of every response, whoever asks. */
export const isHiddenByStrapi = ({ loadingArtefacts }: Planning, { uid }: Model, field: LinkField): boolean =>
  loadingArtefacts && uid === roleUid && field.targets.every((target) => target === userUid)

/** Publishing in Strapi leaves the key of a `morphToOne` at the draft: it leads to the published version of that document. */
export function linkAsStrapi({ loadingArtefacts, status }: Planning, field: LinkField): LinkField {
  const { link } = field
  const isDraftKey = loadingArtefacts && status === 'published' && link.via === 'here'
  return isDraftKey ? { ...field, link: { ...link, toPublished: true } } : field
}

/** What Strapi's admin panel sorts by whether an entry is a draft, modified or published. */
const virtual = 'status'

const isVirtual = ({ columns, links, draftAndPublish }: Model, { names, isDirected }: AskedSort): boolean =>
  draftAndPublish && isDirected && names.join('.') === virtual && !columns.has(virtual) && !links.has(virtual)

/** Its check of a query knows the admin panel's key, but what runs after the check takes it out again: nothing is sorted by it. */
export const sortedAsStrapi = (
  { loadingArtefacts }: Planning,
  model: Model,
  sort: readonly AskedSort[],
): readonly AskedSort[] => (loadingArtefacts ? sort.filter((key) => !isVirtual(model, key)) : sort)

/** Where a statement of Strapi's joins tables, it selects what it sorts by as well. */
function withSorted(level: Level<FaultBehindLink>): Level<FaultBehindLink> {
  const sorted = level.order.flatMap(({ steps, counted, column }) =>
    steps.length > 0 || counted !== null || 'op' in column ? [] : [column],
  )
  const added = sorted.filter((column) => column.name !== virtual && !level.columns.includes(column))
  return { ...level, columns: [...level.columns, ...new Set(added)] }
}

/** `fields` keeps Strapi from reading the key that ties these entries to their owner, so that none is found. */
const losesEntries = (field: LinkField, ask: Ask): boolean =>
  isInverse(field) && field.link.via === 'there' && !includesAll(ask.fields)

export function rootAsStrapi(
  { loadingArtefacts }: Planning,
  root: Level<FaultBehindLink>,
): Level<FaultBehindLink> {
  // What is sorted through a link is numbered in a statement within, and the one around it selects no more than is asked for.
  const isPlain = root.order.every(({ steps, counted }) => steps.length === 0 && counted === null)
  return loadingArtefacts && isPlain && leadsThroughLinks(root.where) ? withSorted(root) : root
}

export function linkedAsStrapi(
  { loadingArtefacts }: Planning,
  field: LinkField,
  ask: Ask,
  level: Level<FaultBehindLink>,
): Level<FaultBehindLink> {
  if (!loadingArtefacts) return level
  if (losesEntries(field, ask)) return { ...level, where: { op: 'or', of: [] } }
  return field.link.via === 'between' ? withSorted(level) : level
}

/** Whether a row of either side holds the key, as those of one document do, and not a table of links. */
const isByKey = ({ link }: LinkField): boolean =>
  link.via === 'there' || (link.via === 'between' && link.ours === 'id')

/**
 * Strapi counts by tables of links. What a key leads to, files, and the other side of a relation to any type it shows all
 * the same (`@strapi/database`, `query/helpers/populate/apply`).
 */
export const isCounted = ({ loadingArtefacts }: Planning, field: LinkField, { count }: Ask): boolean =>
  count && !(loadingArtefacts && (field.role === 'media' || isInverse(field) || isByKey(field)))

const numbers: ReadonlySet<ColumnType> = new Set(['integer', 'biginteger', 'float', 'decimal'])

/** Strapi searches ids and locales as well, and numbers for what could be one; private attributes are no columns here. */
export function isSearchedByStrapi(
  { loadingArtefacts }: Planning,
  { name, type, unsearchable }: Column,
  search: string,
): boolean {
  if (!loadingArtefacts || unsearchable) return false
  if (numbers.has(type)) return !Number.isNaN(Number(search))
  return name === 'id' || name === 'documentId' || name === 'locale'
}
