import { databaseNames } from '../../support/servers'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { casesByGroup } from '../replay'
import { recordingOf } from '../../support/recordings'
import type { CompareOperator } from '../../../lib/operators'
import type { ColumnType } from '../../../lib/schema'
import { typeOf } from '../../../lab/requests/magazine'
import { kindOfValue, comparison, operatorsFor } from '../../../lab/requests/operators'
import { printRequest } from '../../../lab/requests/request'
import { documents, nastyTexts } from './content'

export interface Asked {
  readonly role: string
  readonly path: string
}

/** A document id as Strapi makes them. */
const documentId = /(?<=[/=])[a-z][a-z0-9]{23}(?=[/?&]|$)/g

/** Every fourth of the recorded requests of all databases, asking for documents that the content has. */
export function recordedRequests(): readonly Asked[] {
  const cases = databaseNames.flatMap((name) => [...casesByGroup(recordingOf(name)).values()].flat())
  const seen = new Map(cases.map(({ role, request }) => [`${role} ${request}`, { role, request }]))
  return [...seen.values()]
    .filter((_, index) => index % 4 === 0)
    .map(({ role, request }, index) => ({
      role,
      path: request.replace(documentId, () => documents[index % documents.length] ?? ''),
    }))
}

const encode = encodeURIComponent
const list = (filters: string): Asked => ({
  role: 'editor',
  path: `/api/articles?fields=title&pagination[pageSize]=100&status=draft&sort=id&${filters}`,
})

const signs = (text: string, from: number, to?: number): string => Array.from(text).slice(from, to).join('')

/** Parts of the texts as well, and the texts in the other case. */
const needles = [
  ...new Set(nastyTexts.flatMap((text) => [text, signs(text, 0, 1), signs(text, -2), text.toUpperCase()])),
]

const compared = (name: string, operator: CompareOperator, values: readonly string[]): Asked => {
  const filters = { at: name, of: comparison(operator, values) }
  return list(printRequest({ style: 'indexes', dotted: false, filters }))
}

/** No text comes after it. */
const last = '\u{10ffff}'

/** All texts are there, so that those that ask whether one is would say nothing. */
const textOperators = operatorsFor('string').filter((operator) => kindOfValue(operator) !== 'truth')

/** Whole matrices would take minutes; every operator meets every twelfth text, each operator others. */
export const textRequests: readonly Asked[] = textOperators.flatMap((operator, place) =>
  needles
    .filter((_, index) => index % 12 === place % 12)
    .map((needle) => compared('title', operator, [needle, last])),
)

const valuesByAttribute: Readonly<Record<string, readonly string[]>> = {
  id: ['1', '2.5', '0', '99999999999', 'abc', '-1', '1e1'],
  documentId: [documents[3] ?? '', (documents[3] ?? '').toUpperCase(), 'a'],
  views: ['0', '9', '1.5', '2147483647', '2147483648', 'x', ''],
  bigViews: [
    '9007199254740993',
    '9007199254740992',
    '9223372036854775807',
    '9223372036854775808',
    '10',
    '1.5',
  ],
  rating: ['0.5', '1.5', '1e10', '-3', 'NaN'],
  price: ['14', '0.01', '1234578.89', '9.994', '1e400'],
  featured: ['true', 'false', '0', 'yes'],
  kind: ['news', 'NEWS', 'new'],
  contactEmail: ['mail1@example.com', 'MAIL1@EXAMPLE.COM', 'Mail'],
  publishDate: ['2024-02-29', '0999-01-01', '0001-01-01', '0000-01-01', '2024-02-30', '2024'],
  airTime: ['09:30', '20:20:20.74', '20:20:20.740', '25:00', '09'],
  startsAt: ['2012-01-13T12:12:36.852Z', '2012-01-13T13:12:36.852+01:00', '2012', '1326456756852', 'soon'],
  stampedAt: ['2012-01-13T12:12:36.852Z', '2037-06-01', '-1', '2038-01-20', '9999', '99999999999999999'],
  createdAt: ['2012-01-13T12:12:36.852Z', '1999-12-31 23:59:59.999', '0000-01-01', '253402300800000'],
  extra: ['{}', '[]', '1', 'x'],
  author: ['2', '2abc', 'x'],
}

const kindOf = (name: string): ColumnType | undefined =>
  typeOf('article').scalars.find((scalar) => scalar.name === name)?.kind

/** Every operator meets half of the values, and every value half of the operators; links are compared by their ids. */
export const valueRequests: readonly Asked[] = Object.entries(valuesByAttribute).flatMap(([name, values]) =>
  operatorsFor(kindOf(name) ?? 'id').flatMap((operator, place) =>
    values
      .filter((_, index) => (index + place) % 2 === 0)
      .map((value) => compared(name, operator, [value, values[0] ?? value])),
  ),
)

const sortable = [
  'id',
  'documentId',
  'title',
  'summary',
  'body',
  'slug',
  'kind',
  'contactEmail',
  'publishDate',
  'airTime',
  'startsAt',
  'stampedAt',
  'views',
  'bigViews',
  'rating',
  'price',
  'featured',
  'extra',
  'createdAt',
  'author.name',
  'author.bio',
  'author.country.name',
  'tags.name',
  'tags.weight',
  'quotes.title',
  'quotes.year',
  'seo.metaTitle',
  'seo.priority',
  'relatedBlock.tags.name',
  'coAuthors.name',
  'category.name',
  'category.parent.name',
  'relatedArticles.title',
]

export const sortRequests: readonly Asked[] = sortable.flatMap((name) =>
  ['asc', 'desc'].flatMap((direction) =>
    ['published', 'draft'].map((status) => ({
      role: 'editor',
      path: `/api/articles?fields=id&pagination[pageSize]=100&status=${status}&sort=${name}:${direction}`,
    })),
  ),
)

const populates = [
  'populate=*',
  'populate[author][populate]=*&populate[quotes][populate]=*&populate[seo][populate]=*&populate[relatedBlock][populate]=*',
  'populate[tags][sort]=name:desc&populate[coAuthors][sort]=name&populate[quotes][sort]=title',
  'populate[tags][filters][name][$containsi]=A&populate[coAuthors][filters][name][$lt]=M',
  'populate[localizations]=true&locale=*',
  'populate[relatedArticles][populate][relatedBy][sort]=title:desc',
]

export const populateRequests: readonly Asked[] = [
  ...populates.flatMap((populate) =>
    ['published', 'draft'].map((status) => ({
      role: 'editor',
      path: `/api/articles?${populate}&status=${status}`,
    })),
  ),
  ...['pages', 'comments', 'authors', 'countries', 'categories', 'homepage', 'global', 'tags'].flatMap(
    (route) =>
      ['', '&status=draft', '&locale=fr'].map((more) => ({
        role: 'editor',
        path: `/api/${route}?populate=*${more}`,
      })),
  ),
]

/** Strings that are searched like any other, and signs that LIKE takes for its own. */
export const searches: readonly Asked[] = [
  'apple',
  'APPLE',
  'é',
  'É',
  '100%',
  '_',
  '\\',
  '1',
  '9007199254740993',
  'σ',
  'ς',
  '🚀',
].map((words) => ({ role: 'editor', path: `/api/articles?fields=title&sort=id&_q=${encode(words)}` }))

export const permissions = (
  JSON.parse(readFileSync(join(recordingOf('sqlite').folder, 'config.json'), 'utf8')) as {
    permissions: Readonly<Record<string, { find: readonly string[] }>>
  }
).permissions
