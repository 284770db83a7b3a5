import { readAsked, queryText } from '../../../explorer/asked'
import { nearPages } from '../../../explorer/near-pages'
import { inBrowser } from '../../support/browser'
import { openExplorer } from '../../support/explored-page'
import { type SampleSite, startSample } from '../../support/sample-site'

interface Told {
  readonly previous: string | null
  readonly next: string | null
  readonly place: string
}

function near(asked: string, pagination: object, count: number): Told | null {
  const { query } = readAsked(`/api/tags?${asked}`, '/api')
  const found = nearPages(query, { data: Array(count).fill({ id: 1 }), meta: { pagination } })
  if (found === null) return null
  const { previous, next, place } = found
  return { previous: previous && queryText(previous), next: next && queryText(next), place }
}

const page = (number: number, more = ''): string => `pagination[page]=${String(number)}${more}`

describe('the pages around one that came', () => {
  it('are those of numbers, up to the last', () => {
    const of = (number: number): Told | null =>
      near(`sort=name&${page(number)}`, { page: number, pageSize: 2, pageCount: 3, total: 5 }, 2)
    expect(of(1)).toEqual({ previous: null, next: `sort=name&${page(2)}`, place: 'page 1 of 3' })
    expect(of(2)).toMatchObject({ previous: `sort=name&${page(1)}`, next: `sort=name&${page(3)}` })
    expect(of(3)).toMatchObject({ previous: `sort=name&${page(2)}`, next: null })
    expect(of(9)).toMatchObject({ previous: `sort=name&${page(3)}`, next: null })
  })

  it('are taken to be there where no total is told and the page is full', () => {
    const of = (count: number): Told | null => near('', { page: 2, pageSize: 2 }, count)
    expect(of(2)).toEqual({ previous: page(1), next: page(3), place: 'page 2' })
    expect(of(1)).toMatchObject({ next: null })
  })

  it('are those of places, and none of them lies before the first', () => {
    const of = (start: number, count: number, more = {}): Told | null =>
      near(
        `pagination[start]=${String(start)}&pagination[limit]=4`,
        { start, limit: 4, total: 10, ...more },
        count,
      )
    const at = (start: number): string => `pagination[start]=${String(start)}&pagination[limit]=4`
    expect(of(0, 4)).toEqual({ previous: null, next: at(4), place: '1 to 4 of 10' })
    expect(of(3, 4)).toEqual({ previous: at(0), next: at(7), place: '4 to 7 of 10' })
    expect(of(8, 2)).toEqual({ previous: at(4), next: null, place: '9 to 10 of 10' })
    expect(of(90, 0)).toEqual({ previous: at(6), next: null, place: 'none of 10' })
    expect(of(4, 4, { total: undefined })).toEqual({ previous: at(0), next: at(8), place: '5 to 8' })
  })

  it('are those of cursors, one way or the other', () => {
    const told = { pageSize: 2, startCursor: 'a', endCursor: 'z' }
    const both = { ...told, hasPreviousPage: true, hasNextPage: true }
    expect(near('pagination[after]=m&pagination[pageSize]=2', both, 2)).toEqual({
      previous: 'pagination[pageSize]=2&pagination[before]=a',
      next: 'pagination[after]=z&pagination[pageSize]=2',
      place: '',
    })
    expect(near('pagination[before]=m', { ...both, hasPreviousPage: false }, 2)).toMatchObject({
      previous: null,
      next: 'pagination[after]=z',
    })
  })

  it('are not there where all that there is came, or no list', () => {
    expect(near('', { page: 1, pageSize: 25, pageCount: 1, total: 2 }, 2)).toBeNull()
    expect(near('', { page: 1, pageSize: 25, pageCount: 0, total: 0 }, 0)).toBeNull()
    expect(nearPages({}, { data: { id: 1 }, meta: {} })).toBeNull()
    expect(nearPages({}, 'no JSON')).toBeNull()
  })
})

describe('turning pages in the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser('goes from the first to the last by one key, and Back comes back', async (page) => {
    const { query, says, complaints } = await openExplorer(
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
    expect(await query.inputValue()).toContain('pagination[page]=2')
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
