import { inBrowser } from '../support/browser'
import { openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

describe('turning pages in the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser('goes from the first to the last by one key, and Back comes back', async (page) => {
    const { written, says, complaints } = await openExplorer(
      page,
      `${site.at}/explorer/#/api/tags?sort=name&fields=name&pagination[pageSize]=4`,
    )
    const pages = page.getByRole('navigation', { name: 'Pages' })
    const next = pages.getByRole('button', { name: 'Next' })
    const previous = pages.getByRole('button', { name: 'Previous' })
    const isAt = async (number: number): Promise<void> => {
      await pages.getByText(`page ${String(number)} of 3`).waitFor()
      await says(/^200 OK/)
    }
    await isAt(1)
    expect(await previous.isDisabled()).toBe(true)
    await next.focus()
    await page.keyboard.press('Enter')
    await isAt(2)
    expect(await previous.isDisabled()).toBe(false)
    await page.keyboard.press('Enter')
    await isAt(3)
    expect(await next.isDisabled()).toBe(true)
    // Where there is nothing more, the key does nothing, and the place on the page is kept.
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Next')
    expect(await page.getByLabel('Page', { exact: true }).inputValue()).toBe('3')
    expect(decodeURIComponent(new URL(page.url()).hash)).toContain('pagination[page]=3')
    await page.goBack()
    await isAt(2)
    expect(await written()).toContain('pagination[page]=2')
    await previous.click()
    await isAt(1)
    await page.goBack()
    await isAt(2)
    expect(complaints).toEqual([])
  })

  inBrowser('goes by places and by cursors where it is asked so', async (page) => {
    const { ask, body, says } = await openExplorer(page, `${site.at}/explorer/`)
    const pages = page.getByRole('navigation', { name: 'Pages' })
    const names = async (): Promise<string[]> =>
      ((await body()) as { data: { name: string }[] }).data.map(({ name }) => name)
    const turn = async (name: string): Promise<string[]> => {
      const before = await names()
      await pages.getByRole('button', { name }).click()
      await page
        .locator('pre.json')
        .filter({ hasNotText: String(before[0]) })
        .waitFor()
      await says(/^200 OK/)
      return names()
    }
    const all = 'sort=name&fields=name'
    for (const paging of [
      'pagination[start]=0&pagination[limit]=3',
      'pagination[after]=&pagination[pageSize]=3',
    ]) {
      await ask(`/api/tags?${all}&${paging}`)
      const first = await names()
      const second = await turn('Next')
      const third = await turn('Next')
      expect([...first, ...second, ...third]).toHaveLength(9)
      expect(new Set([...first, ...second, ...third]).size).toBe(9)
      expect(await pages.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
      expect(await turn('Previous')).toEqual(second)
      expect(await turn('Previous')).toEqual(first)
    }
    await ask('/api/tags')
    expect(await pages.count()).toBe(0)
  })
})
