import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { inBrowser } from '../support/browser'
import { openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

const long =
  '/api/articles?fields[0]=title&fields[1]=kind&populate[author][fields][0]=name&populate[cover]=true&sort=publishedAt:desc&pagination[pageSize]=5'

const boxOf = async (place: Locator): Promise<{ x: number; y: number; width: number; height: number }> => {
  const box = await place.boundingBox()
  if (box === null) throw new Error('the element is not visible')
  return box
}

describe('the layout of the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  const openAt = async (page: Page, width: number, height: number) => {
    await page.setViewportSize({ width, height })
    return openExplorer(page, `${site.at}/explorer/#${long}`)
  }

  inBrowser(
    'begins the response in the upper third, and shows all relations, at 1280 × 800',
    async (page) => {
      await openAt(page, 1280, 800)
      const { y } = await boxOf(page.getByRole('tree', { name: 'Response as a tree' }))
      expect(y).toBeLessThan(800 / 3)
      const tree = page.getByRole('tree', { name: 'Attributes of articles' })
      const relations = tree.getByRole('treeitem', { name: /relation|media|component|zone/ })
      expect(await relations.count()).toBeGreaterThan(5)
      for (const relation of await relations.all()) {
        const { y: top, height } = await boxOf(relation)
        expect(top + height).toBeLessThanOrEqual(800)
        expect(await relation.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
      }
    },
  )

  inBrowser('has tabs on one line, however long their names', async (page) => {
    await openAt(page, 1120, 800)
    for (const label of ['Code', 'Response views']) {
      const tops = await Promise.all(
        (await page.getByRole('tablist', { name: label }).getByRole('tab').all()).map(
          async (tab) => (await boxOf(tab)).y,
        ),
      )
      expect([label, new Set(tops).size]).toEqual([label, 1])
    }
  })

  inBrowser('is three tabs on a phone, and goes from the query to its response', async (page) => {
    const { query, says, written, violations } = await openAt(page, 390, 844)
    const panes = page.getByRole('tablist', { name: 'Panes' })
    expect(await panes.getByRole('tab').allTextContents()).toEqual(['Build', 'Query', 'Response'])
    const shown = async (): Promise<string[]> => {
      const all = await page.locator('.pane').all()
      const visible = await Promise.all(all.map((pane) => pane.isVisible()))
      const names = await Promise.all(all.map((pane) => pane.getAttribute('aria-label')))
      return names.flatMap((name, at) => (visible[at] === true ? [String(name)] : []))
    }
    expect(await shown()).toEqual(['Response'])
    await panes.getByRole('tab', { name: 'Response' }).press('ArrowLeft')
    expect(await shown()).toEqual(['Query'])
    await query.fill('/api/tags?sort=naem')
    await page.getByRole('button', { name: 'Run' }).click()
    await says('400')
    expect(await shown()).toEqual(['Query'])
    await page.getByText('Did you mean').getByRole('button', { name: 'name' }).click()
    await says('200 OK')
    expect(await shown()).toEqual(['Response'])
    await panes.getByRole('tab', { name: 'Build' }).click()
    await page.getByLabel('Content type').selectOption('articles')
    await says('200 OK')
    expect(await shown()).toEqual(['Build'])
    expect(await written()).toBe('/api/articles')
    expect(await violations()).toEqual([])
  })

  inBrowser(
    'resizes panes by the pointer and by keys, and keeps their widths in the session',
    async (page) => {
      const { complaints, violations } = await openAt(page, 1280, 800)
      const build = page.getByRole('region', { name: 'Build' })
      const response = page.getByRole('region', { name: 'Response', exact: true })
      const line = page.getByRole('separator', { name: 'Width of Build' })
      const { x, y } = await boxOf(line)
      await page.mouse.move(x + 3, y + 200)
      await page.mouse.down()
      await page.mouse.move(500, y + 200)
      await page.mouse.up()
      expect((await boxOf(build)).width / 1280).toBeCloseTo(500 / 1280, 1)
      expect(await line.getAttribute('aria-valuenow')).toBe('39')
      const other = page.getByRole('separator', { name: 'Width of Response' })
      const before = Number(await other.getAttribute('aria-valuenow'))
      await other.press('ArrowRight')
      expect(Number(await other.getAttribute('aria-valuenow'))).toBe(before - 2)
      await other.press('Home')
      expect((await boxOf(response)).width / 1280).toBeCloseTo(0.15, 2)
      expect(await violations()).toEqual([])
      await page.reload()
      await page.getByText('200 OK').waitFor()
      expect([await line.getAttribute('aria-valuenow'), await other.getAttribute('aria-valuenow')]).toEqual([
        '39',
        '15',
      ])
      expect(complaints).toEqual([])
    },
  )

  inBrowser('breaks a query at its parameters, and copies it as a URL', async (page) => {
    const { query, written, complaints } = await openAt(page, 1280, 800)
    const lines = async (): Promise<string[]> => (await query.inputValue()).split('\n')
    expect(await lines()).toEqual(long.replace('?', '\n?').replaceAll('&', '\n&').split('\n'))
    const coloured = page.locator('.written')
    expect((await coloured.textContent())?.replace(/\u200b$/, '')).toBe(await query.inputValue())
    const size = async (place: Locator): Promise<number[]> => {
      const { x, y, width, height } = await boxOf(place)
      return [x, y, width, height]
    }
    expect(await size(coloured)).toEqual(await size(query))
    await query.press('Control+a')
    const copied = page.evaluate<string>(
      `new Promise((done) => addEventListener('copy', (event) => done(event.clipboardData.getData('text/plain'))))`,
    )
    await query.press('Control+c')
    expect(await copied).toBe(long)
    await query.press('Control+End')
    await query.pressSequentially('&locale=en')
    expect((await lines()).at(-1)).toBe('&pagination[pageSize]=5&locale=en')
    for (let typed = '&locale=en'.length; typed > 0; typed--) await query.press('Control+z')
    expect(await written()).toBe(long)
    expect(complaints).toEqual([])
  })

  inBrowser('shows the headers of the response, and saves it as a file', async (page) => {
    const { body, complaints } = await openAt(page, 1280, 800)
    const shown = await body()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('articles.json')
    expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toEqual(shown)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy the response' }).click()
    await page.getByText('Copied').waitFor()
    expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toEqual(shown)
    await page.getByRole('tab', { name: 'Headers' }).click()
    await page.getByText('cache-control', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })
})
