import { type LevelQuery, type QuerySort, includesAll } from '../query'
import {
  type Column,
  type ColumnType,
  type LinkField,
  localeColumn,
  type Model,
  roleUid,
  userUid,
} from '../schema'
import { leadsThroughLinks, type Level } from './level'
import type { Planning } from './planning'

// Artefacts of Strapi's way of loading, for front ends that rely on them.

/** Inverses of relations to any type select their rows by a type column. */
const isInverse = ({ role, link }: LinkField): boolean =>
  role === 'relation' && link.via !== 'here' && link.fixed.length > 0

/** Strapi cleans no entry behind such an inverse: entries without locales show an empty `locale`. */
export const showsEmptyLocale = ({ loadingArtefacts }: Planning, field: LinkField): boolean =>
  loadingArtefacts && isInverse(field)

export const hasEmptyLocale = (planning: Planning, model: Model): boolean =>
  model.kind !== 'component' &&
  !model.columns.has('locale') &&
  !model.hidesLocale &&
  planning.hasColumn(model, localeColumn.column)

/** Strapi removes the users of a role from each response. */
export const isHiddenByStrapi = ({ loadingArtefacts }: Planning, { uid }: Model, field: LinkField): boolean =>
  loadingArtefacts && uid === roleUid && field.targets.every((target) => target === userUid)

/** Publishing leaves the key of a `morphToOne` at the draft. It stands for the published version. */
export function linkAsStrapi({ loadingArtefacts, status }: Planning, field: LinkField): LinkField {
  const { link } = field
  const isDraftKey = loadingArtefacts && status === 'published' && link.via === 'here'
  return isDraftKey ? { ...field, link: { ...link, toPublished: true } } : field
}

/** Sort key of Strapi's admin panel: draft, modified or published. */
const virtual = 'status'

const isVirtual = ({ columns, links, draftAndPublish }: Model, { names, isDirected }: QuerySort): boolean =>
  draftAndPublish && isDirected && names.join('.') === virtual && !columns.has(virtual) && !links.has(virtual)

/** Strapi accepts the admin panel's key, and then ignores it. */
export const sortedAsStrapi = (
  { loadingArtefacts }: Planning,
  model: Model,
  sort: readonly QuerySort[],
): readonly QuerySort[] => (loadingArtefacts ? sort.filter((key) => !isVirtual(model, key)) : sort)

/** Strapi's statements with joins select their sort keys as well. */
function withSorted(level: Level): Level {
  const sorted = level.order.flatMap(({ steps, counted, column, scores }) =>
    steps.length > 0 || counted !== null || scores !== undefined || 'op' in column ? [] : [column],
  )
  const added = sorted.filter((column) => column.name !== virtual && !level.columns.includes(column))
  return { ...level, columns: [...level.columns, ...new Set(added)] }
}

export function rootAsStrapi({ loadingArtefacts }: Planning, root: Level): Level {
  // Sorts through links become inner statements in Strapi, and the outer one selects no keys.
  const isPlain = root.order.every(({ steps, counted }) => steps.length === 0 && counted === null)
  return loadingArtefacts && isPlain && leadsThroughLinks(root.where) ? withSorted(root) : root
}

export function linkedAsStrapi(
  { loadingArtefacts }: Planning,
  field: LinkField,
  query: LevelQuery,
  level: Level,
): Level {
  if (!loadingArtefacts) return level
  // `fields` keeps Strapi from reading the key of the owner, so that it finds no entries.
  if (isInverse(field) && field.link.via === 'there' && !includesAll(query.fields))
    return { ...level, where: { op: 'or', of: [] } }
  return field.link.via === 'between' ? withSorted(level) : level
}

/** Strapi counts rows of join tables, and shows all others whole (`query/helpers/populate/apply`). */
export function isCounted({ loadingArtefacts }: Planning, field: LinkField, { count }: LevelQuery): boolean {
  const { link, role } = field
  const isByKey = link.via === 'there' || (link.via === 'between' && link.ours === 'id')
  return count && !(loadingArtefacts && (role === 'media' || isInverse(field) || isByKey))
}

const numbers: ReadonlySet<ColumnType> = new Set(['integer', 'biginteger', 'float', 'decimal'])

/** Strapi also searches ids, locales, and numbers if the text is one. Private attributes are no columns here. */
export function isSearchedByStrapi(
  { loadingArtefacts }: Planning,
  { name, type, unsearchable }: Column,
  search: string,
): boolean {
  if (!loadingArtefacts || unsearchable) return false
  if (numbers.has(type)) return !Number.isNaN(Number(search))
  return name === 'id' || name === 'documentId' || name === 'locale'
}
