import type { Uid } from '../../lib/schema'
import {
  type ResponseOptions,
  isEmptyLocaleShown,
  isPaged,
  isWrappedLink,
  type ShownLink,
  type ShownScalar,
  type ShownType,
} from '../../lib/describe'
import { type JsonPart, listOf, objectOf, refTo, scalarSchema } from './json-part'
import type { SchemaNames } from './schema-names'

export interface EntryForms {
  readonly options: ResponseOptions
  readonly names: SchemaNames
  /** True if the role may read drafts, which lack required values. */
  readonly drafts: boolean
  /** True if a query may ask for counts, and for pages. */
  readonly counts: boolean
  readonly pages: boolean
}

/** Generated attributes, which drafts have too. */
const neverMissing = ['id', 'documentId', 'createdAt', 'updatedAt']

function mayBeNull(name: string, { nullable }: ShownScalar, { model }: ShownType, drafts: boolean): boolean {
  const mayBeDraft = model.draftAndPublish || model.kind === 'component'
  return nullable || (drafts && mayBeDraft && !neverMissing.includes(name))
}

/** The tag in each entry names its schema. */
function severalOf(targets: readonly Uid[], tag: string, { names }: EntryForms): JsonPart {
  const refs = targets.map((uid) => [uid, refTo('schemas', names.tagged(uid))] as const)
  const mapping = Object.fromEntries(refs.map(([uid, { $ref }]) => [uid, $ref]))
  return { oneOf: refs.map(([, ref]) => ref), discriminator: { propertyName: tag, mapping } }
}

/** `__component` in zones, `__type` in relations to several types, null for a single target. */
function tagOf({ field: { role, targets } }: ShownLink): '__component' | '__type' | null {
  if (role === 'zone') return '__component'
  return role === 'morph' && targets.length > 1 ? '__type' : null
}

function entryOf(link: ShownLink, forms: EntryForms): JsonPart {
  const tag = tagOf(link)
  if (tag !== null) return severalOf(link.targets, tag, forms)
  const [only] = link.targets
  return only === undefined ? {} : refTo('schemas', forms.names.of(only))
}

function linkSchema(link: ShownLink, forms: EntryForms): JsonPart {
  const { field } = link
  const { options, counts, pages } = forms
  const entry = entryOf(link, forms)
  const shown = field.many ? listOf(entry) : { anyOf: [entry, { type: 'null' }] }
  const plain = isWrappedLink(field.role, options) ? objectOf({ data: shown }) : shown
  const count = objectOf({ count: { type: 'integer' } })
  const page = objectOf({ data: shown, meta: refTo('schemas', 'RelationMeta') })
  const isPage = pages && field.many && isPaged(field, options)
  const all = [plain, ...(counts ? [count] : []), ...(isPage ? [page] : [])]
  return all.length === 1 ? plain : { anyOf: all }
}

/**
 * Attributes that `fields` may leave out, and those that need `populate`, are optional. A schema with a tag is written
 * in full: Swagger UI cannot resolve `allOf` in types that refer to each other.
 */
function entrySchema(type: ShownType, forms: EntryForms, tag: string | null = null): JsonPart {
  const { scalars, links } = type
  const isAlways = (name: string): boolean => scalars.get(name)?.always === true
  const { loadingArtefacts } = forms.options
  const own = [...scalars].map(([name, scalar]) => {
    const nullable = mayBeNull(name, scalar, type, forms.drafts)
    return [name, scalarSchema({ ...scalar, nullable, loadingArtefacts })]
  })
  const empty = isEmptyLocaleShown(type, forms.options) ? [['locale', { type: 'null' }]] : []
  const linked = [...links].map(([name, link]) => [name, linkSchema(link, forms)])
  const tags = tag === null ? {} : { [tag]: { type: 'string', const: type.model.uid } }
  const properties = { ...tags, ...Object.fromEntries([...own, ...empty, ...linked]) } as JsonPart
  return objectOf(properties, [...Object.keys(tags), ...['id', 'documentId'].filter(isAlways)])
}

/** One schema for each type, and a tagged one for each type that is shown among others. */
export function entrySchemas(types: readonly ShownType[], forms: EntryForms): JsonPart {
  const { names } = forms
  const tags = new Map<Uid, string>()
  for (const link of types.flatMap(({ links }) => [...links.values()])) {
    const tag = tagOf(link)
    if (tag !== null) for (const uid of link.targets) tags.set(uid, tag)
  }
  return Object.fromEntries([
    ...types.map((type) => [names.of(type.model.uid), entrySchema(type, forms)] as const),
    ...types.flatMap((type) => {
      const { uid } = type.model
      const tag = tags.get(uid)
      return tag === undefined ? [] : [[names.tagged(uid), entrySchema(type, forms, tag)] as const]
    }),
  ])
}
