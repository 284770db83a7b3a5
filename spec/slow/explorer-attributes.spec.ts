import type { Locator } from 'playwright-core'
import { inBrowser } from '../support/browser'
import { openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

describe('attributes in the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser('are down to the title by two clicks, at every level', async (page) => {
    const { ask, written, says, body } = await openExplorer(page, `${site.at}/explorer/`)
    const tree = page.getByRole('tree', { name: 'Attributes of articles' })
    const item = (level: number, name: RegExp): Locator =>
      tree.locator(`[aria-level="${String(level)}"]`).filter({ hasText: name })
    const all = (level: number): Locator => item(level, /^[▸▾]?\s*all attributes/)
    const then = async (clicked: Locator, asked: string): Promise<void> => {
      await clicked.click()
      await says(/^200 OK/)
      expect(await written()).toBe(`/api/articles${asked}`)
    }
    await ask('/api/articles')
    expect(await all(1).getAttribute('aria-checked')).toBe('true')
    await then(all(1), '?fields[0]=id')
    expect(await all(1).getAttribute('aria-checked')).toBe('false')
    await then(item(1, /^\s*title/), '?fields[0]=title')
    expect(await all(1).getAttribute('aria-checked')).toBe('mixed')
    await item(1, /author relation/).press('ArrowRight')
    await then(all(2), '?fields[0]=title&populate[0]=author')
    expect(await all(2).getAttribute('aria-checked')).toBe('true')
    await then(all(2), '?fields[0]=title&populate[author][fields][0]=id')
    await then(item(2, /^\s*name/), '?fields[0]=title&populate[author][fields][0]=name')
    await item(1, /author relation/).press('ArrowLeft')
    await ask('/api/articles?fields=title&populate[seo]=true')
    await item(1, /seo component/).press('ArrowRight')
    await then(all(2), '?fields=title&populate[seo][fields][0]=id')
    await then(item(2, /^\s*title/), '?fields=title&populate[seo][fields][0]=title')
    await then(all(1), '?fields[0]=id&populate[seo][fields][0]=title')
    await then(all(1), '?populate[seo][fields][0]=title')
    await ask('/api/articles?fields=title&populate[seo][fields]=title&filters[seo][id][$notNull]=true')
    const { data } = (await body()) as { data: { seo: object }[] }
    expect(Object.keys(data[0]?.seo ?? {})).toContain('title')
  })

  inBrowser('are down to the title by two keys, below one of several types, too', async (page) => {
    const { written, says } = await openExplorer(page, `${site.at}/explorer/#/api/homepage`)
    const tree = page.getByRole('tree', { name: 'Attributes of homepage' })
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key)
    }
    await tree.getByRole('treeitem', { name: 'all attributes' }).focus()
    await press(' ', 'h', ' ')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/homepage?fields[0]=headline')
    await tree.getByRole('treeitem', { name: /^▸?\s*sections zone/ }).focus()
    await press('ArrowRight', 's')
    await tree.getByRole('treeitem', { name: 'story.prose' }).focus()
    await press('ArrowRight', 'ArrowDown', ' ')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/homepage?fields[0]=headline&populate[sections][on][story.prose]=true')
    await press(' ')
    await says(/^200 OK/)
    expect(await written()).toContain('populate[sections][on][story.prose][fields][0]=id')
  })
})
