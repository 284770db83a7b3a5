// Input: the types and grants of a role. Output: the queries of the role, for documents and pages. Rejected: nothing;
// unreadable types are left out.
import { type DraftRule, type Grants, knownTo, showsAlways } from './access'
import { actions, type ReadAction, type NamedQuery, type AddedQueries, type FilledOptions } from './config'
import {
  type AttributeOutline,
  type Column,
  type LinkField,
  type Model,
  modelOf,
  type Schema,
  type Uid,
  modelNamed,
  type ColumnType,
  type LinkRole,
} from './schema'
import { type CompareOperator, compareOperators, hasMeaning, operators } from './operators'

export type ResponseOptions = FilledOptions & Required<AddedQueries>

const wrappingOptions: Readonly<Record<LinkRole, 'relations' | 'localizations' | null>> = {
  ...{ component: null, zone: null, localizations: 'localizations' },
  ...{ relation: 'relations', media: 'relations', morph: 'relations' },
}

export function isWrappedLink(role: LinkRole, options: ResponseOptions): boolean {
  const option = wrappingOptions[role]
  return option !== null && options[option] === 'wrapped'
}

export const isPaged = ({ role, targets }: LinkField, { nestedPagination }: ResponseOptions): boolean =>
  nestedPagination && role !== 'localizations' && targets.length === 1

export function operatorsFor(
  type: ColumnType,
  matching: ResponseOptions['textMatching'],
): readonly CompareOperator[] {
  return compareOperators
    .filter((operator) => hasMeaning(operator, type, matching))
    .filter((operator) => operators[operator].value !== 'json' || type === 'json')
}

/** The host's queries of a type, by name. */
export type QueriesOfType = (type: ShownType) => Readonly<Record<string, NamedQuery>>

export function queriesOf(schema: Schema, { queries }: Pick<ResponseOptions, 'queries'>): QueriesOfType {
  const all = Object.entries(queries)
  const isOf = (type: ShownType, { type: name }: NamedQuery): boolean =>
    modelNamed(schema, name) === type.model
  return (type) => Object.fromEntries(all.filter(([, query]) => isOf(type, query)))
}

/** Strapi shows the empty locale of linked types without locales. */
export const isEmptyLocaleShown = ({ model }: ShownType, { loadingArtefacts }: ResponseOptions): boolean =>
  loadingArtefacts && model.kind !== 'component' && !model.columns.has('locale') && !model.hidesLocale

export interface ShownScalar {
  readonly column: Column
  /** A published entry may lack a value. */
  readonly nullable: boolean
  /** The values of an enumeration. */
  readonly values: readonly string[] | null
  /** False if rules show it in some entries only. */
  readonly always: boolean
}

export interface ShownLink {
  readonly field: LinkField
  readonly targets: readonly Uid[]
  readonly always: boolean
}

/** A type as the role may query it. */
export interface ShownType {
  readonly model: Model
  /** The path segment, else the uid. */
  readonly key: string
  /** Reads by path; empty for types that are only linked. */
  readonly reads: readonly ReadAction[]
  readonly scalars: ReadonlyMap<string, ShownScalar>
  readonly links: ReadonlyMap<string, ShownLink>
  readonly hasDrafts: boolean
  /** True if the role may only use queries of the host. */
  readonly onlyByName: boolean
  /** Readings that the role may use. */
  readonly readings: readonly DescribedReading[]
  /** The attributes of a ranked search, whose words `highlight` marks. */
  readonly ranked: readonly string[]
}

/** A reading of an extension, at a path below a list or beside the list. */
export interface DescribedReading {
  /** Names the last segment of the path, and the key in `permissions`. */
  readonly name: string
  /** Describes requests and responses, for OpenAPI documents. */
  readonly describe?: (type: ShownType) => ReadingDescription
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface DescribedParameter {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

export interface ReadingDescription {
  /** Describes `/articles/<name>`. */
  readonly path?: {
    readonly summary: string
    readonly parameters: readonly DescribedParameter[]
    /** Names the parameters of lists that the path rejects. */
    readonly rejects: readonly string[]
    /** Returns `content` of the response, by media type. `meta` is the schema of `meta` of a list. */
    readonly content: (meta: JsonSchema) => Readonly<Record<string, JsonSchema>>
  }
  /** Describes further parameters of `/articles`, and the members that they add to `meta`. */
  readonly list?: { readonly parameters: readonly DescribedParameter[]; readonly meta: JsonSchema }
}

/** The rights of the role, and the types that are served. */
interface DescribedRole {
  readonly schema: Schema
  readonly grants: Grants
  readonly drafts: DraftRule
  readonly isServed: (model: Model) => boolean
  readonly readingsOf: (model: Model) => readonly DescribedReading[]
  readonly rankedIn: (model: Model) => readonly string[]
}

const keys = ['id', 'documentId']
/** Generated values are never null. */
const generated = [...keys, 'createdAt', 'updatedAt']

function isNullable({ name }: Column, outline: AttributeOutline | undefined, model: Model): boolean {
  if (name === 'locale' && outline === undefined) return !model.localized
  const filled = model.physical.isExisting ? keys : generated
  return !filled.includes(name) && !(outline !== undefined && 'values' in outline && outline.required)
}

/** Only tables of components made by `migrate` have document ids. */
const isStored = ({ kind }: Model, name: string): boolean => kind !== 'component' || name !== 'documentId'

function shownType(role: DescribedRole, model: Model): ShownType {
  const { schema, grants, drafts, isServed, readingsOf, rankedIn } = role
  const { uid, kind, route } = model
  const granted = actions.filter((action) => grants.may(model, action))
  const may = granted.filter((action) => action !== 'drafts')
  const known = knownTo(grants, model, may)
  const isAlwaysShown = (name: string): boolean => showsAlways(grants, model, name, granted)
  const isLinkable = (target: Model): boolean =>
    target.kind === 'component' || target.open || grants.may(target, 'find')
  const scalars = [...known.columns].map(([name, column]): [string, ShownScalar] => {
    const outline = known.outlines.get(name)
    const values = outline !== undefined && 'values' in outline ? outline.values : null
    const always = isStored(model, name) && isAlwaysShown(name)
    return [name, { column, nullable: isNullable(column, outline, model), values, always }]
  })
  const links = [...known.links].flatMap(([name, field]): [string, ShownLink][] => {
    const targets = field.targets.filter((target) => isLinkable(modelOf(schema, target)))
    return targets.length === 0 ? [] : [[name, { field, targets, always: isAlwaysShown(name) }]]
  })
  const served = may.filter(
    (action) => route !== null && isServed(model) && (action === 'find' || kind === 'collectionType'),
  )
  const onlyByName =
    grants.clientQueries !== null && may.every((action) => grants.clientQueries?.may(model, action) === false)
  const isQueried = kind === 'collectionType' && served.includes('find') && !onlyByName
  return {
    model,
    key: route ?? uid,
    reads: served,
    scalars: new Map(scalars),
    links: new Map(links),
    hasDrafts: model.draftAndPublish && (drafts === 'open' || granted.includes('drafts')),
    onlyByName,
    readings: isQueried ? readingsOf(model) : [],
    ranked: isQueried ? rankedIn(knownTo(grants, model, ['find'])) : [],
  }
}

/** Types by uid: those with paths, and those that they link. */
export function shownTypes(role: DescribedRole): readonly ShownType[] {
  const { models } = role.schema
  const all = new Map([...models].map(([uid, model]) => [uid, shownType(role, model)] as const))
  const shown = new Set([...all.values()].filter(({ reads: may }) => may.length > 0))
  // The set grows in the loop.
  for (const { links } of shown)
    for (const uid of [...links.values()].flatMap(({ targets }) => targets)) {
      const target = all.get(uid)
      if (target !== undefined) shown.add(target)
    }
  return [...shown].sort((one, other) => (one.model.uid < other.model.uid ? -1 : 1))
}
