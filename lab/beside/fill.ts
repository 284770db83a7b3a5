// Fills an app through Strapi's own documents service, so that every row is one that Strapi wrote.
import { type Chance, chanceFrom, pick } from '../requests/chance'
import {
  builtInAttributes,
  type Data,
  draftsOf,
  localesOf,
  type Strapi,
  type StrapiAttribute,
  type StrapiType,
} from './strapi'
import { valueFor } from './values'

/** What could not be written, by what Strapi said of it: how often, and of which type first. */
export type Refusals = Readonly<Record<string, number>>

const locales = ['fr', 'de']

interface Written {
  readonly id: number
  readonly documentId: string
}

interface Filling {
  readonly strapi: Strapi
  readonly chance: Chance
  readonly files: readonly number[]
  readonly documents: Map<string, Written[]>
  readonly refused: Map<string, number>
  serial: number
}

/** What only writing asks for, and what random values would seldom meet. */
const demands = ['required', 'unique', 'regex', 'min', 'max', 'minLength', 'maxLength'] as const

function forgetDemands({ contentTypes, components }: Strapi): void {
  for (const type of [...Object.values(contentTypes), ...Object.values(components)]) {
    for (const attribute of Object.values(type.attributes)) {
      for (const demand of demands) Reflect.deleteProperty(attribute, demand)
    }
  }
}

const served = ({ contentTypes }: Strapi): StrapiType[] =>
  Object.values(contentTypes).filter(({ uid }) => uid.startsWith('api::'))

async function writeFiles({ strapi }: Pick<Filling, 'strapi'>): Promise<number[]> {
  const ids: number[] = []
  for (const serial of [1, 2, 3, 4, 5]) {
    const name = `picture ${String(serial)}.png`
    const hash = `picture_${String(serial)}`
    const formats = {
      thumbnail: { name, hash: `thumbnail_${hash}`, ext: '.png', url: `/uploads/t_${hash}.png` },
    }
    const kind = { ext: '.png', mime: 'image/png', provider: 'local', folderPath: '/' }
    const measures = { width: 100 * serial, height: 80, size: serial * 1.5 }
    const { id } = await strapi.db.query('plugin::upload.file').create({
      data: { name, hash, formats, url: `/uploads/${hash}.png`, ...kind, ...measures },
    })
    ids.push(id)
  }
  return ids
}

function some<T>(chance: Chance, list: readonly T[], most: number): T[] {
  const left = [...list]
  const count = Math.min(chance(most + 1), left.length)
  return Array.from({ length: count }, () => left.splice(chance(left.length), 1)[0] as T)
}

const isOne = ({ relation = '' }: StrapiAttribute): boolean =>
  relation.endsWith('ToOne') || relation === 'oneToOne'

/** A relation to one of any type takes its row, one to many its document. */
const anywhere = (relation: string, uid: string, { id, documentId }: Written): Data =>
  relation === 'morphToOne' ? { __type: uid, id } : { __type: uid, documentId }

/** From the side that owns: the other shows the same. */
function linked({ chance, documents }: Filling, attribute: StrapiAttribute): unknown {
  const { relation = '', target, mappedBy } = attribute
  if (mappedBy !== undefined || relation === 'morphOne' || relation === 'morphMany') return undefined
  const ways =
    target === undefined
      ? [...documents].flatMap(([uid, all]) => all.map((one) => anywhere(relation, uid, one)))
      : (documents.get(target) ?? []).map(({ documentId }) => ({ documentId }))
  if (ways.length === 0) return undefined
  return isOne(attribute) ? pick(chance, [null, ...ways]) : some(chance, ways, 4)
}

function pictured({ chance, files }: Filling, { multiple }: StrapiAttribute): unknown {
  return multiple === true ? some(chance, files, 3) : pick(chance, [null, ...files])
}

function element(filling: Filling, uid: string, links: boolean): Data {
  const type = filling.strapi.components[uid]
  return type === undefined ? {} : data(filling, type, links)
}

function built(filling: Filling, attribute: StrapiAttribute, links: boolean): unknown {
  const { chance } = filling
  const { component = '', repeatable } = attribute
  if (repeatable !== true) return chance(6) === 0 ? null : element(filling, component, links)
  return Array.from({ length: chance(4) }, () => element(filling, component, links))
}

function zone(filling: Filling, { components = [] }: StrapiAttribute, links: boolean): unknown {
  const known = components.filter((uid) => filling.strapi.components[uid] !== undefined)
  if (known.length === 0) return []
  return some(filling.chance, known, 4).map((uid) => ({ __component: uid, ...element(filling, uid, links) }))
}

function given(filling: Filling, attribute: StrapiAttribute, links: boolean): unknown {
  switch (attribute.type) {
    case 'relation':
      return links ? linked(filling, attribute) : undefined
    case 'media':
      return pictured(filling, attribute)
    case 'component':
      return built(filling, attribute, links)
    case 'dynamiczone':
      return zone(filling, attribute, links)
    default:
      filling.serial += 1
      return valueFor(filling.chance, attribute, filling.serial)
  }
}

function data(filling: Filling, type: StrapiType, links: boolean): Data {
  const own = Object.entries(type.attributes).filter(([name]) => !builtInAttributes.includes(name))
  return Object.fromEntries(
    own.flatMap(([name, attribute]) => {
      const value = given(filling, attribute, links)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** What Strapi refuses is counted: a project may ask for more than random content gives. */
async function attempt<T>(
  { refused }: Filling,
  uid: string,
  write: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await write()
  } catch (error) {
    const [reason = ''] = String(error).split('\n')
    const what = `${uid}: ${reason.replace(/"[a-z0-9]{24}"/g, '…').slice(0, 160)}`
    refused.set(what, (refused.get(what) ?? 0) + 1)
    return undefined
  }
}

/** All are there before any leads to another. */
async function create(filling: Filling, type: StrapiType, count: number): Promise<void> {
  const { strapi, documents } = filling
  const all: Written[] = []
  documents.set(type.uid, all)
  for (let left = type.kind === 'singleType' ? 1 : count; left > 0; left -= 1) {
    const made = await attempt(filling, type.uid, () =>
      strapi.documents(type.uid).create({ data: data(filling, type, false) }),
    )
    if (made !== undefined) all.push(made)
  }
}

async function writeVersion(
  filling: Filling,
  type: StrapiType,
  documentId: string,
  locale?: string,
): Promise<void> {
  const { strapi, chance } = filling
  const place = { documentId, ...(locale === undefined ? {} : { locale }) }
  const write = (links: boolean): Promise<unknown> =>
    attempt(filling, type.uid, () =>
      strapi.documents(type.uid).update({ ...place, data: data(filling, type, links) }),
    )
  // In another locale than its own an entry may lead to what is not there.
  if ((await write(true)) === undefined) await write(false)
  if (!draftsOf(type) || chance(4) === 0) return
  await attempt(filling, type.uid, () => strapi.documents(type.uid).publish(place))
  if (chance(4) === 0) await write(false)
}

async function complete(filling: Filling, type: StrapiType): Promise<void> {
  for (const { documentId } of filling.documents.get(type.uid) ?? []) {
    await writeVersion(filling, type, documentId)
    if (!localesOf(type)) continue
    for (const locale of some(filling.chance, locales, 2))
      await writeVersion(filling, type, documentId, locale)
  }
}

async function addLocales(strapi: Strapi): Promise<void> {
  for (const code of locales)
    await strapi.db.query('plugin::i18n.locale').create({ data: { code, name: code } })
}

/** Fewer documents of each type where there are many types: a project of eighty is to be done in minutes. */
const countFor = (types: number): number => Math.max(3, Math.min(7, Math.round(120 / types)))

export async function fill(strapi: Strapi, seed: number): Promise<Refusals> {
  forgetDemands(strapi)
  await addLocales(strapi)
  const files = await writeFiles({ strapi })
  const chance = chanceFrom(seed)
  const filling: Filling = { strapi, chance, files, documents: new Map(), refused: new Map(), serial: 0 }
  const types = served(strapi)
  for (const type of types) await create(filling, type, countFor(types.length))
  for (const type of types) await complete(filling, type)
  return Object.fromEntries(filling.refused)
}
