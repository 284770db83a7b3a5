// What a filled app holds, in the words in which random requests are made.
import {
  type Definition,
  fileType,
  type JsonObject,
  type Row,
  type Store,
} from '../../spec/support/oracle-content'
import {
  builtInAttributes,
  draftsOf,
  localesOf,
  type Strapi,
  type StrapiAttribute,
  type StrapiType,
} from './strapi'

export interface World {
  readonly types: readonly Definition[]
  readonly rows: Readonly<Record<string, readonly JsonObject[]>>
}

const uploads = 'plugin::upload.file'

const isServed = (uid: string): boolean => uid.startsWith('api::')

/** What leads to types that are not served is not asked for: nobody may find them. */
const isAsked = ([name, { type, target }]: readonly [string, StrapiAttribute]): boolean =>
  !['id', 'documentId', ...builtInAttributes].includes(name) &&
  (type !== 'relation' || target === undefined || isServed(target) || target === uploads)

/** A private relation is refused by whatever asks through it, as a private text is. */
const isShown = ([, { type, private: hidden }]: readonly [string, StrapiAttribute]): boolean =>
  hidden !== true || !['relation', 'media', 'component', 'dynamiczone'].includes(type)

function definitionOf(type: StrapiType, isComponent: boolean): Definition {
  const { uid, kind = 'collectionType', collectionName } = type
  const asked = Object.entries(type.attributes).filter((one) => isAsked(one) && isShown(one))
  const definition = {
    ...{ uid, collectionName, info: type.info, attributes: Object.fromEntries(asked) },
    options: { draftAndPublish: draftsOf(type) },
    pluginOptions: { i18n: { localized: !isComponent && localesOf(type) } },
  }
  return isComponent ? definition : { ...definition, kind }
}

export async function readWorld(strapi: Strapi): Promise<World> {
  const contentTypes = Object.values(strapi.contentTypes).filter(({ uid }) => isServed(uid))
  const types = [
    ...contentTypes.map((type) => definitionOf(type, false)),
    ...Object.values(strapi.components).map((type) => definitionOf(type, true)),
  ]
  const rows: Record<string, readonly JsonObject[]> = {}
  for (const uid of [...types.map((type) => type.uid), uploads])
    rows[uid] = (await strapi.db.query(uid).findMany({ orderBy: { id: 'asc' } })) as readonly JsonObject[]
  return { types, rows }
}

function rowOf(type: Definition, given: JsonObject): Row {
  const { id, documentId, locale, publishedAt } = given
  return {
    ...{ type, given, links: new Map<string, Row[]>(), id: Number(id) },
    documentId: typeof documentId === 'string' ? documentId : '',
    locale: typeof locale === 'string' ? locale : null,
    state: type.options.draftAndPublish ? (publishedAt === null ? 'draft' : 'published') : 'only',
  }
}

export function storeOf({ types, rows }: World): Store {
  const all = [...types, fileType]
  return {
    types: new Map(all.map((type) => [type.uid, type])),
    defaultLocale: 'en',
    rows: all.flatMap((type) => (rows[type.uid] ?? []).map((given) => rowOf(type, given))),
  }
}
