import { contentRouter, type ContentRouterConfig } from '../../lib'
import { contentExplorer } from '../../extensions/explorer'
import { inBrowser } from '../support/browser'
import { testDatabase } from '../support/databases'
import { openExplorer } from '../support/explored-page'
import { type Host, serveRouters } from '../support/host'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('book', {
    title: text,
    printed: { type: 'date' },
    readAt: { type: 'time' },
    author: relation('manyToOne', 'author'),
  }),
  collection('author', { name: text, city: relation('manyToOne', 'city') }),
  collection('city', { name: text, twin: relation('manyToOne', 'city') }),
] as unknown as ContentRouterConfig['contentTypes']

describe('what is written with a slip in the explorer', () => {
  const { world } = stocked(testDatabase('sqlite'), types, { book: [{ title: 'Dawn' }] })
  let host: Host
  beforeAll(async () => {
    const routerOf = (strictParameters: boolean | 'near') =>
      world.closing(
        contentRouter({
          contentTypes: types,
          database: world.config,
          permissions: { public: { find: '*' } },
          strictParameters,
          logger: false,
        }),
      )
    host = await serveRouters({
      '/explorer': contentExplorer(routerOf('near')),
      '/lenient': contentExplorer(routerOf(false)),
    })
  })
  afterAll(() => host.close())

  inBrowser('is offered the nearest name at its place', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${host.at}/explorer/`)
    const slips: readonly (readonly [asked: string, marked: string, meant: string, then: string])[] = [
      ['populate=author.cty', 'cty', 'city', 'populate=author.city'],
      ['populate[0]=author.city.twn', 'twn', 'twin', 'populate[0]=author.city.twin'],
      ['populate=author.ciyt.twin', 'ciyt', 'city', 'populate=author.city.twin'],
      ['populate[author][populate][0]=city.twn', 'twn', 'twin', 'populate[author][populate][0]=city.twin'],
      ['sort=author.nme', 'nme', 'name', 'sort=author.name'],
      ['sort[0]=author.city.nme:desc', 'nme', 'name', 'sort[0]=author.city.name:desc'],
      ['populate[author][sort]=city.nme', 'nme', 'name', 'populate[author][sort]=city.name'],
      ['pagination[pagesize]=2', 'pagesize', 'pageSize', 'pagination[pageSize]=2'],
      ['pagesize=2', 'pagesize', 'pagination[pageSize]', 'pagination[pageSize]=2'],
      ['page=1', 'page', 'pagination[page]', 'pagination[page]=1'],
      ['pagnation[page]=1', 'pagnation', 'pagination', 'pagination[page]=1'],
      ['perPage=2', 'perPage', 'pagination[pageSize]', 'pagination[pageSize]=2'],
    ]
    for (const [asked, marked, meant, then] of slips) {
      await ask(`/api/books?${asked}`)
      await says('400 Bad Request')
      const refused = page.getByRole('group', { name: 'Request error' })
      expect([asked, await page.locator('.written mark').textContent()]).toEqual([asked, marked])
      const offered = refused.getByText('Did you mean').getByRole('button')
      const names = await offered.allTextContents()
      expect([asked, names[0], new Set(names).size]).toEqual([asked, meant, names.length])
      await offered.first().click()
      await says(/^200 OK/)
      expect(await written()).toBe(`/api/books?${then}`)
    }
  })

  inBrowser('is shown the form of a time, by what it is now', async (page) => {
    const { ask, says } = await openExplorer(page, `${host.at}/explorer/`)
    const [day, clock] = ['\\d{4}-\\d{2}-\\d{2}', '\\d{2}:\\d{2}:\\d{2}']
    for (const [asked, form] of [
      ['filters[createdAt][$gt]=yesterday', new RegExp(`^${day}T${clock}Z$`)],
      ['filters[createdAt]=yesterday', new RegExp(`^${day}T${clock}Z$`)],
      ['filters[printed][$lt]=yesterday', new RegExp(`^${day}$`)],
      ['filters[readAt][$lt]=noon', new RegExp(`^${clock}$`)],
    ] as const) {
      await ask(`/api/books?${asked}`)
      await says('400 Bad Request')
      const refused = page.getByRole('group', { name: 'Request error' })
      expect(await page.locator('.written mark').textContent()).toBe(asked.split('=')[1])
      await refused.getByText('Such as').getByRole('button', { name: form }).click()
      await says(/^200 OK/)
    }
  })

  inBrowser('is told of where it is ignored, and mended by a click', async (page) => {
    const { written, ask, says, violations } = await openExplorer(page, `${host.at}/lenient/`)
    for (const [asked, meant] of [
      ['pagesize=1', null],
      ['start=0', 'pagination[start]=0'],
      ['filter[title]=Dawn', 'filters[title]=Dawn'],
      ['popluate=author', 'populate=author'],
    ] as const) {
      await ask(`/api/books?${asked}`)
      await says(/^200 OK/)
      const ignored = page.getByRole('group', { name: 'Ignored parameter' })
      await ignored.getByText(/^The router ignores the unknown parameter \S+$/).waitFor()
      expect(await violations()).toEqual([])
      await ignored.getByText('Did you mean').getByRole('button').first().click()
      await says(/^200 OK/)
      expect(await written()).toBe(`/api/books?${meant ?? 'pagination[pageSize]=1'}`)
      expect(await ignored.count()).toBe(0)
    }
    await ask('/api/books?utm_source=x&sort=title&_q=Dawn')
    await says(/^200 OK/)
    expect(await page.getByRole('group', { name: 'Ignored parameter' }).count()).toBe(0)
  })
})
