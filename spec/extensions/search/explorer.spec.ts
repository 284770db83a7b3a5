import { contentExplorer } from '../../../extensions/explorer'
import { search } from '../../../extensions/search'
import { contentRouter, migrate } from '../../../lib'
import { inBrowser } from '../../support/browser'
import { testDatabase } from '../../support/databases'
import { openExplorer } from '../../support/explored-page'
import { serveRouters } from '../../support/host'
import { stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

const script = '<img src=x onerror=alert(1)> & <mark>no oxygen</mark> here'

describe('the explorer on a search', () => {
  const { world } = stocked(testDatabase('sqlite'), textTypes, {
    ...textContent,
    article: [...textContent.article, { title: 'Oxygen & more', body: script, views: 9 }],
  })
  let at = ''
  beforeAll(async () => {
    const config = {
      ...{ contentTypes: textTypes, database: world.config, logger: false as const },
      extensions: [search({ article: { title: 3, body: 1 } })],
    }
    await migrate(config)
    const content = world.closing(contentRouter({ ...config, permissions: { public: { find: '*' } } }))
    const host = await serveRouters({ '/api': content, '/explorer': contentExplorer(content) })
    at = `${world.closing(host).at}/explorer/`
  })

  inBrowser(
    'searches from a text box, and lists the matches by points with the found words',
    async (page) => {
      const { written, says, complaints } = await openExplorer(page, at)
      await page.getByLabel('Content type').selectOption('articles')
      await says(/^200 OK/)
      const box = page.getByRole('searchbox', { name: 'Search in title, body' })
      await box.fill('rust')
      await box.press('Enter')
      await says('200 OK 4 of 4 entries')
      expect(await written()).toBe('/api/articles?_q=rust&highlight=title,body&ranks=true')
      const matches = page.getByRole('list', { name: 'Matches in the order of the response' })
      expect(await matches.getByRole('listitem').allTextContents()).toEqual([
        'Rust never sleeps 8 pointsbody: A song about rust.',
        'Rust and oxygen 6 points',
        'Rusty nails 3 points',
        'Systems language 2 pointsbody: Programs in Rust run fast.',
      ])
      expect(await matches.locator('mark').allTextContents()).toEqual([
        'Rust',
        'rust',
        'Rust',
        'Rusty',
        'Rust',
      ])
      await matches.getByRole('button', { name: 'Rusty nails' }).click()
      await says(/^200 OK [\d.]+ ms/)
      await page.goBack()
      await says('200 OK 4 of 4 entries')
      await page.getByLabel('Add a sort key').selectOption('views')
      await says('200 OK 4 of 4 entries')
      expect(await written()).toBe('/api/articles?_q=rust&highlight=title,body&sort=views')
      await box.fill('sleeps')
      await box.press('Enter')
      await says(/^200 OK 1 of 1 entr/)
      await box.fill('')
      await box.press('Enter')
      await says(/^200 OK 8 of 8 entries/)
      expect(await written()).toBe('/api/articles')
      expect(complaints).toEqual([])
    },
  )

  inBrowser('shows HTML in a found text as text', async (page) => {
    const { complaints } = await openExplorer(page, `${at}#/api/articles?_q=oxygen&highlight=title,body`)
    const match = page.getByRole('listitem').filter({ hasText: 'more' })
    expect(await match.textContent()).toBe(`Oxygen & morebody: ${script}`)
    expect(await match.locator('mark').allTextContents()).toEqual(['Oxygen', 'oxygen'])
    expect(await match.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  inBrowser('has no search box for a type without ranks', async (page) => {
    const { says } = await openExplorer(page, at)
    await page.getByLabel('Content type').selectOption('authors')
    await says(/^200 OK/)
    expect(await page.getByRole('searchbox').count()).toBe(0)
  })

  inBrowser('is accessible in light and dark colors, and fits a phone', async (page) => {
    const query = 'articles?_q=rust&highlight=title,body&ranks=true'
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await openExplorer(page, `${at}?${colorScheme}#/api/${query}`)
      await page.getByRole('list', { name: 'Matches in the order of the response' }).waitFor()
      expect([colorScheme, await violations()]).toEqual([colorScheme, []])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('tab', { name: 'Response', exact: true }).click()
    await page.getByRole('list', { name: 'Matches in the order of the response' }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  })
})
