import express, { type Express } from 'express'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { contentRouter } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { recordingOf } from '../../support/recordings'

type Entry = Readonly<Record<string, unknown>>
type Link = 'entry' | 'component' | 'zone'

/** What the attributes lead to, in the words of the definitions. Relations to any type are left as they are. */
const links: Readonly<Record<string, Link>> = {
  author: 'entry',
  country: 'entry',
  category: 'entry',
  articles: 'entry',
  featured: 'entry',
  hero: 'entry',
  cover: 'entry',
  gallery: 'entry',
  localizations: 'entry',
  pinned: 'entry',
  editorInChief: 'entry',
  metaImage: 'entry',
  speaker: 'entry',
  tags: 'entry',
  image: 'entry',
  avatar: 'entry',
  files: 'entry',
  comments: 'entry',
  seo: 'component',
  defaultSeo: 'component',
  quotes: 'component',
  relatedBlock: 'component',
  metaSocial: 'component',
  links: 'component',
  link: 'component',
  social: 'component',
  blocks: 'zone',
  sections: 'zone',
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function members(entry: Entry): Entry {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      const link = Array.isArray(value) || isEntry(value) || value === null ? links[key] : undefined
      // A boolean of articles, and a relation of the homepage.
      if (key === 'featured' && !Array.isArray(value)) return [key, value]
      if (link === 'entry') return [key, { data: older(value) }]
      return [key, link === undefined || (link === 'zone' && !Array.isArray(value)) ? value : parts(value)]
    }),
  )
}

function parts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(parts)
  return isEntry(value) ? members(value) : value
}

/** Strapi's own way from its present form to the older one: what an entry has is put under `attributes`. */
function older(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(older)
  if (!isEntry(value)) return value
  const { id, documentId, ...rest } = value
  return JSON.parse(JSON.stringify({ id, documentId, attributes: members(rest) })) as unknown
}

onSqlite((database) => {
  const world = database.restored()
  let app: Express
  beforeAll(() => {
    const router = contentRouter({
      extensions: [strapi5()],
      contentTypes: recordingOf(database.name).contentTypes,
      database: world.config,
      permissions: { public: { find: '*' } },
    })
    app = express().use('/api', world.closing(router))
  })

  it.each([
    [
      'single types and their zones',
      '/api/homepage?populate[blocks][populate]=*&populate[hero]=true&populate[featured]=true&populate[seo][populate]=*',
    ],
    ['components in components', '/api/global?populate[defaultSeo][populate]=*&populate[editorInChief]=true'],
    ['zones', '/api/pages?populate[sections][populate]=*&pagination[pageSize]=5'],
    [
      'relations to any type, with what is below them',
      '/api/comments?populate[mentions][on][api::article.article][populate]=author&populate[subject]=true',
    ],
    ['the other side of a relation to any type', '/api/authors?populate[pinned]=true&populate[country]=true'],
    ['counts', '/api/authors?populate[articles][count]=true&populate[social][count]=true&fields=name'],
    [
      'localizations and repeated components',
      '/api/articles?populate[localizations]=true&populate[quotes][populate]=speaker&populate[gallery]=true&fields=title',
    ],
  ])('puts %s as Strapi does in its older format', async (_what, path) => {
    const { body } = (await request(app).get(path).expect(200)) as { body: { data: unknown; meta: unknown } }
    const answer = await request(app).get(path).set('Strapi-Response-Format', 'v4').expect(200)
    expect(JSON.stringify(body.data)).toMatch(/:[[{]/)
    expect(answer.body).toEqual({ data: older(body.data), meta: body.meta })
  })

  it('writes exact digits where Strapi has stored a double in the place of a bigint', async () => {
    const { body } = (await request(app).get(
      '/api/articles?fields=bigViews&filters[bigViews][$notNull]=true&status=draft&pagination[pageSize]=100',
    )) as { body: { data: readonly { bigViews: string }[] } }
    expect(body.data.length).toBeGreaterThan(0)
    for (const { bigViews } of body.data) expect(bigViews).toMatch(/^-?\d+$/)
  })
})
