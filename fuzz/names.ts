import { join } from 'node:path'
import { type Chance, pick } from './chance'
import { type Known, typesIn } from './types'
import { prototypeNames, text } from './values'

export const types = typesIn(
  join(__dirname, '..', 'spec', 'conformance', 'recordings', 'magazine', 'content-types'),
)
export const unknown: Known = { scalars: [], links: [] }

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

/** A link and the type it leads to; now and then one of another type. */
export function link(chance: Chance, type: Known): readonly [string, Known] {
  if (type.links.length === 0 || chance(40) === 0) return [pick(chance, links), unknown]
  const [key, to] = pick(chance, type.links)
  return [key, to ?? unknown]
}
