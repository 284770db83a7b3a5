import { strapi5 } from '../../extensions/strapi'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { contentExplorer } from '../../extensions/explorer'
import { inBrowser } from '../support/browser'
import { testDatabase } from '../support/databases'
import { openExplorer } from '../support/explored-page'
import { type Host, serveRouters } from '../support/host'
import { collection, component, picture, relation, repeated, single, text } from '../support/library'
import { stocked } from '../support/served'

const blocks = ['hero', 'features', 'testimonials', 'pricing', 'faq', 'cta', 'brands', 'related-articles']

/** A site as Strapi's own starters have it: pages of blocks, a global with nested components, two languages, drafts. */
const types = [
  component('shared.button', {
    text,
    URL: text,
    variant: { type: 'enumeration', enum: ['simple', 'primary'] },
  }),
  component('shared.link', { text, URL: text }),
  component('shared.seo', { metaTitle: text, metaImage: picture }),
  component('global.navbar', {
    logo: picture,
    left_navbar_items: repeated('shared.link'),
    cta: single('shared.button'),
  }),
  ...blocks.map((name) =>
    component(`dynamic-zone.${name}`, {
      heading: text,
      ...(name === 'testimonials' ? { testimonials: relation('oneToMany', 'testimonial') } : {}),
      ...(name === 'related-articles' ? { articles: relation('oneToMany', 'article') } : {}),
      ...(name === 'hero' || name === 'cta' ? { CTAs: repeated('shared.button') } : {}),
    }),
  ),
  collection(
    'page',
    {
      slug: text,
      seo: single('shared.seo'),
      dynamic_zone: { type: 'dynamiczone', components: blocks.map((name) => `dynamic-zone.${name}`) },
    },
    { drafts: true, localized: true },
  ),
  collection(
    'article',
    {
      title: text,
      slug: { type: 'uid' },
      content: { type: 'blocks' },
      image: picture,
      categories: relation('manyToMany', 'category'),
    },
    { drafts: true, localized: true },
  ),
  collection('category', { name: text }),
  collection('testimonial', { text: { type: 'text' }, user: relation('manyToOne', 'user-profile') }),
  collection('user-profile', { firstname: text, image: picture }),
  {
    ...collection('global', { seo: single('shared.seo'), navbar: single('global.navbar') }),
    kind: 'singleType',
  },
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  'user-profile': [{ $ref: 'ada', firstname: 'Ada' }],
  testimonial: [{ $ref: 'praise', text: 'It launches.', user: 'ada' }],
  category: [{ $ref: 'news', name: 'News' }],
  article: [{ $ref: 'first', title: 'First', slug: 'first', categories: ['news'] }],
  page: [
    {
      slug: 'homepage',
      seo: { metaTitle: 'Home' },
      dynamic_zone: [
        {
          __component: 'dynamic-zone.hero',
          heading: 'Launch',
          CTAs: [{ text: 'Go', URL: '/go', variant: 'primary' }],
        },
        { __component: 'dynamic-zone.testimonials', heading: 'Praise', testimonials: ['praise'] },
        { __component: 'dynamic-zone.related-articles', heading: 'More', articles: ['first'] },
      ],
    },
  ],
  global: {
    navbar: { left_navbar_items: [{ text: 'Blog', URL: '/blog' }], cta: { text: 'Sign up', URL: '/join' } },
  },
} as unknown as SeedContent

interface Block {
  readonly __component: string
}

describe('the explorer on a site of blocks, as Strapi has them', () => {
  const { world } = stocked(testDatabase('sqlite'), types, content)
  let host: Host
  beforeAll(async () => {
    const api = world.closing(
      contentRouter({
        extensions: [strapi5()],
        contentTypes: types,
        database: world.config,
        permissions: { public: { find: '*' } },
        logger: false,
      }),
    )
    host = await serveRouters({ '/api': api, '/explorer': contentExplorer(api) })
  })
  afterAll(() => host.close())

  inBrowser('asks for each kind of block by itself, four levels deep, with clicks alone', async (page) => {
    const { written, ask, says, body, complaints } = await openExplorer(page, `${host.at}/explorer/`)
    await ask('/api/pages')
    const tree = page.getByRole('tree', { name: 'Attributes of pages' })
    const item = (name: string) => tree.getByRole('treeitem', { name }).first()
    await item('dynamic_zone zone').press('ArrowRight')
    for (const name of blocks) expect(await item(`dynamic-zone.${name}`).isVisible()).toBe(true)
    await item('dynamic-zone.testimonials').press('ArrowRight')
    await item('testimonials relation').press('ArrowRight')
    await item('user relation').click()
    await says(/^200 OK/)
    expect(await written()).toBe(
      '/api/pages?populate[dynamic_zone][on][dynamic-zone.testimonials][populate][testimonials][populate][0]=user',
    )
    const zone = async (): Promise<readonly Block[]> =>
      ((await body()) as { data: { dynamic_zone: readonly Block[] }[] }).data[0]?.dynamic_zone ?? []
    expect(await zone()).toMatchObject([{ testimonials: [{ user: { firstname: 'Ada' } }] }])
    await page.getByRole('tab', { name: 'Tree' }).click()
    await item('dynamic-zone.hero').click()
    await says(/^200 OK/)
    expect((await zone()).map(({ __component: kind }) => kind)).toEqual([
      'dynamic-zone.hero',
      'dynamic-zone.testimonials',
    ])
    expect(complaints).toEqual([])
  })

  inBrowser('completes types of a zone, and reads a single type with nested components', async (page) => {
    const { query, written, ask, says, violations } = await openExplorer(page, `${host.at}/explorer/`)
    await query.fill('')
    await query.pressSequentially('/api/pages?populate[dynamic_zone][on][dynamic-zone.rel')
    await query.press('Enter')
    await query.pressSequentially('popu')
    await query.press('Enter')
    await query.pressSequentially('art')
    await query.press('Enter')
    await query.press('Backspace')
    await query.pressSequentially('=tr')
    await query.press('Enter')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    expect(await written()).toBe(
      '/api/pages?populate[dynamic_zone][on][dynamic-zone.related-articles][populate][articles]=true',
    )
    await ask('/api/global?populate[navbar][populate]=*')
    await says(/^200 OK/)
    await page
      .getByRole('treeitem', { name: /^navbar/ })
      .last()
      .waitFor()
    expect(await violations()).toEqual([])
  })
})
