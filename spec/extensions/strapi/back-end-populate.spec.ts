import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import {
  defaultQueries,
  type DefaultQueries,
  queryFrom,
  type QueryFunction,
} from '../../../extensions/queries'
import { strapi5 } from '../../../extensions/strapi'
import { type ContentRouterConfig, type Extension } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, component, picture, relation, repeated, single, text } from '../../support/library'
import { type Entry, type Served, stocked } from '../../support/served'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

interface Made {
  readonly defaults: DefaultQueries
  readonly from: QueryFunction
}

const page = readFileSync(
  join(__dirname, '..', '..', '..', 'docs', 'how-to', 'strapi-custom-code.md'),
  'utf8',
)
const [, section = ''] = page.split('## Replace a route middleware')
const blocks = [...section.replace(/\n## When .*/s, '').matchAll(/```js\n(.*?)```/gs)].map(
  ([, code = '']) => code,
)

/** The value that the blocks of the page give to a name, word for word. */
const made = <N extends keyof Made>(code: string, name: N): Made[N] =>
  runInNewContext(`${code}\n;${name}`) as Made[N]

const [byDefault = '', inItsPlace = '', byParameter = ''] = blocks

const types = [
  collection('page', {
    title: text,
    seo: single('shared.seo'),
    dynamic_zone: { type: 'dynamiczone', components: ['dynamic-zone.hero', 'dynamic-zone.related'] },
    content: { type: 'dynamiczone', components: ['sections.hero', 'sections.faq', 'sections.plain'] },
  }),
  collection('article', { title: text, body: text, image: picture }),
  component('shared.seo', { metaTitle: text, metaImage: picture }),
  component('dynamic-zone.hero', { heading: text, CTAs: repeated('shared.link') }),
  component('dynamic-zone.related', { heading: text, articles: relation('oneToMany', 'article') }),
  component('shared.link', { label: text }),
  component('sections.hero', { heading: text, links: repeated('shared.link'), image: picture }),
  component('sections.faq', { heading: text, accordions: repeated('shared.link') }),
  component('sections.plain', { heading: text }),
] as unknown as Definitions

const link = [{ label: 'more' }]
const content = {
  article: [{ $ref: 'news', title: 'News', body: 'long', image: { name: 'news.png' } }],
  page: [
    {
      title: 'Home',
      seo: { metaTitle: 'Home', metaImage: { name: 'seo.png' } },
      dynamic_zone: [
        { __component: 'dynamic-zone.hero', heading: 'Hi', CTAs: link },
        { __component: 'dynamic-zone.related', heading: 'Read', articles: ['news'] },
      ],
      content: [
        { __component: 'sections.hero', heading: 'Hi', links: link, image: { name: 'hero.png' } },
        { __component: 'sections.faq', heading: 'Ask', accordions: link },
        { __component: 'sections.plain', heading: 'Plain' },
      ],
    },
  ],
}

const full = [
  { __component: 'dynamic-zone.hero', heading: 'Hi', CTAs: [{ label: 'more' }] },
  { heading: 'Read', articles: [{ title: 'News', image: { name: 'news.png' } }] },
]

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const served = (extension: Extension): Served => {
    const made = serve({ extensions: [strapi5(), extension] })
    made.app.set('query parser', 'extended')
    return made
  }

  it('a route middleware’s populate stands in defaults', async () => {
    const { list } = served(defaultQueries(made(byDefault, 'defaults')))
    const [home] = await list('pages')
    expect(home).toMatchObject({ seo: { metaImage: { name: 'seo.png' } }, dynamic_zone: full })
    expect(home).not.toHaveProperty('dynamic_zone.1.articles.0.body')
    expect((await list('pages?populate=seo'))[0]).not.toHaveProperty('dynamic_zone')
  })

  it('a route middleware’s populate takes the place of what is asked', async () => {
    const { list } = served(queryFrom(made(byDefault + inItsPlace, 'from')))
    const [home] = await list('pages?populate=seo&fields=title&filters[title]=Home')
    expect(home).toMatchObject({ title: 'Home', dynamic_zone: full })
    expect(home).not.toHaveProperty('createdAt')
    expect(await list('articles?filters[title]=News&populate=image')).toMatchObject([
      { image: { name: 'news.png' } },
    ])
  })

  it.each([
    'populateDynamicZone[content]=true',
    'populateDynamicZone=content&populate=seo',
    'populateDynamicZone[0]=content&populate[0]=seo',
    'populateDynamicZone[content]=true&populate[seo][populate]=metaImage',
  ])('a document middleware’s parameter fills the zones that it names: %s', async (query) => {
    const { list } = served(queryFrom(made(byParameter, 'from')))
    const [home] = (await list(`pages?${query}`)) as (Entry & { readonly content: readonly Entry[] })[]
    expect(home?.content).toMatchObject([
      { heading: 'Hi', links: [{ label: 'more' }] },
      { heading: 'Ask', accordions: [{ label: 'more' }] },
    ])
    expect(home?.content).toHaveLength(2)
    expect('seo' in (home ?? {})).toBe(query.includes('seo'))
    expect((await list('pages?populate=seo'))[0]).not.toHaveProperty('content')
  })
})
