import type { Page } from 'playwright-core'
import { inBrowser } from '../../support/browser'
import { openExplorer } from '../../support/explored-page'
import { serveSample } from '../../support/sample-site'

// spec/slow/explorer-*.spec.ts tries the rest of the page.
describe('the explorer in a browser', () => {
  const site = serveSample()
  const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }

  inBrowser('sends a query by the keyboard and by the button, and shows the response', async (page) => {
    const { query, written, ask, says, body, complaints } = await openExplorer(page, `${site.at}/explorer`)
    await ask('articles?fields=title&pagination[pageSize]=2&sort=title')
    expect(await written()).toBe('/api/articles?fields=title&pagination[pageSize]=2&sort=title')
    const { data } = await body()
    const response = await fetch(`${site.at}/api/articles?fields=title&pagination[pageSize]=2&sort=title`)
    expect({ data }).toEqual({ data: ((await response.json()) as { data: unknown }).data })
    await query.fill('https://example.org/api/cities?pagination[pageSize]=3')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await says('200 OK 3 of 8 entries')
    expect(complaints).toEqual([])
  })

  inBrowser('completes a query, and corrects a wrong name, by the keyboard alone', async (page) => {
    const { query, written, says, complaints } = await openExplorer(page, `${site.at}/explorer/`)
    await press(page, 'Tab', 'Enter', 'Control+a')
    await page.keyboard.type('/api/wal')
    await press(page, 'Enter')
    await page.keyboard.type('?popu')
    await press(page, 'Enter')
    await page.keyboard.type('gui')
    await press(page, 'Enter', 'Backspace', 'Control+Space')
    await page.keyboard.type('=tr')
    await press(page, 'Enter', 'Control+Enter')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/walks?populate[guide]=true')
    await query.fill('/api/articles?populate=categry')
    await query.press('Control+Enter')
    await says('400 Bad Request')
    await page.getByText('Did you mean').getByRole('button', { name: 'category', exact: true }).focus()
    await press(page, 'Enter')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?populate=category')
    expect(complaints).toEqual([])
  })

  inBrowser('builds a query by clicks', async (page) => {
    const { written, says } = await openExplorer(page, `${site.at}/explorer/`)
    await page.getByLabel('Content type').selectOption('articles')
    await says(/^200 OK/)
    const tree = page.getByRole('tree', { name: 'Attributes of articles' })
    await tree.getByRole('treeitem', { name: /^author relation/ }).click()
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?populate[0]=author')
  })

  inBrowser('shows and copies the SQL of the indexes that a query lacks', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const { ask, says, violations, complaints } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?sort=standfirst&fields=title')
    await page.getByLabel('Explain').check()
    await says(/^200 OK/)
    await page.getByRole('tab', { name: 'Explanation' }).click()
    const sql = await page.getByRole('group', { name: 'SQL of the missing indexes' }).textContent()
    expect(sql).toMatch(/^create index "cr_articles_locale_standfirst" on "articles" \(.*"standfirst".*\);$/)
    await page.getByRole('button', { name: 'Copy the SQL of the missing indexes' }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(sql)
    expect(await violations()).toEqual([])
    await ask('/api/articles?fields=title')
    await page.getByRole('region', { name: 'Explanation' }).getByText('Levels').waitFor()
    expect(await page.getByText('Missing indexes').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  inBrowser('sends an example as the role that it is for', async (page) => {
    const { says, body, complaints } = await openExplorer(page, site.at)
    await page.getByText('Roles and drafts').click()
    await page.getByRole('button', { name: 'Drafts, for editors' }).click()
    await says('200 OK as editor')
    const { data } = (await body()) as { data: { title: string }[] }
    expect(data.map(({ title }) => title)).toContain('The woman who draws kerbs')
    expect(complaints).toEqual([])
  })

  inBrowser('has no violations that axe finds, light and dark', async (page) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await openExplorer(page, `${site.at}/explorer/#/api/articles?populate=author`)
      expect([colorScheme, await violations()]).toEqual([colorScheme, []])
    }
  })
})
