import { join } from 'node:path'
import { type Chance, pick } from './chance'
import { type Known, typesIn } from './types'
import { prototypeNames, text } from './values'

export const types = typesIn(
  join(__dirname, '..', 'spec', 'conformance', 'recordings', 'magazine', 'content-types'),
)
export const unknown: Known = { scalars: [], kinds: new Map(), links: [], lists: [] }

export const scalars = [
  ...[
    'id',
    'documentId',
    'createdAt',
    'updatedAt',
    'publishedAt',
    'locale',
    'title',
    'summary',
    'body',
    'content',
  ],
  ...['kind', 'contactEmail', 'slug', 'publishDate', 'airTime', 'startsAt', 'stampedAt', 'views', 'bigViews'],
  ...[
    'rating',
    'price',
    'featured',
    'extra',
    'name',
    'bio',
    'email',
    'born',
    'reputation',
    'code',
    'population',
  ],
  ...[
    'area',
    'text',
    'score',
    'postedAt',
    'heading',
    'settings',
    'url',
    'mime',
    'formats',
    'size',
    'color',
    'weight',
  ],
]
const hidden = [
  'secret',
  'internalNote',
  'apiKey',
  'notes',
  'password',
  'resetPasswordToken',
  'createdBy',
  'updatedBy',
]
const links = [
  ...['author', 'reviewer', 'coAuthors', 'category', 'tags', 'countries', 'originCountry', 'relatedArticles'],
  ...['relatedBy', 'sequel', 'prequel', 'landingPage', 'comments', 'seo', 'quotes', 'relatedBlock', 'cover'],
  ...[
    'gallery',
    'articles',
    'country',
    'mentor',
    'mentees',
    'account',
    'pinned',
    'social',
    'avatar',
    'subject',
  ],
  ...[
    'mentions',
    'sections',
    'blocks',
    'owners',
    'parent',
    'children',
    'moderators',
    'localizations',
    'related',
  ],
]
export const uids = [
  'shared.quote',
  'shared.rich-text',
  'layout.cta',
  'api::author.author',
  'api::page.page',
  'admin::user',
]
export const parameters = [
  'populate',
  'filters',
  'filters',
  'sort',
  'fields',
  'pagination',
  'status',
  'locale',
  '_q',
]
export const rarely = [
  'publicationFilter',
  'hasPublishedVersion',
  'lookup',
  'where',
  'select',
  'page',
  ...prototypeNames,
]
export function name(chance: Chance, type: Known): string {
  const which = chance(1000)
  if (which < 930 && type.scalars.length > 0) return pick(chance, type.scalars)
  if (which < 960) return pick(chance, [...links, ...scalars])
  if (which < 980) return pick(chance, hidden)
  return which < 990 ? pick(chance, prototypeNames) : text(chance)
}

/** The types that links lead on from without end. */
function endless(): ReadonlySet<Known> {
  const left = new Set(types.values())
  const isLed = ({ links: own }: Known): boolean => own.some(([, to]) => to !== undefined && left.has(to))
  for (let before = Infinity; left.size < before;) {
    before = left.size
    for (const type of left) if (!isLed(type)) left.delete(type)
  }
  return left
}

const leadsOn = endless()

/** Names of links, each of the type that the one before leads to; now and then of another. */
export function wayDown(chance: Chance, from: Known, most: number): readonly string[] {
  const names: string[] = []
  let place: Known | undefined = from
  while (names.length < most && place !== undefined) {
    const onwards: Known['links'] = place.links.filter(([, to]) => to !== undefined && leadsOn.has(to))
    const isLost = onwards.length === 0 || chance(4_000) === 0
    const [name, to]: Known['links'][number] = isLost ? link(chance, place) : pick(chance, onwards)
    names.push(name)
    place = to?.links.length === 0 ? undefined : to
  }
  return names
}

/** A link and the type it leads to; now and then one of another type. */
export function link(chance: Chance, type: Known): readonly [string, Known] {
  if (type.links.length === 0 || chance(40) === 0) return [pick(chance, links), unknown]
  const [key, to] = pick(chance, type.links)
  return [key, to ?? unknown]
}
