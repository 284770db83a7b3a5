import type { Page } from 'playwright-core'
import { aggregates } from '../../../extensions/aggregate'
import { contentExplorer } from '../../../extensions/explorer'
import { contentRouter } from '../../../lib'
import { inBrowser } from '../../support/browser'
import { testDatabase } from '../../support/databases'
import { openExplorer } from '../../support/explored-page'
import { serveRouters } from '../../support/host'
import { stocked } from '../../support/served'
import { countries, customers, makeOrders, type Order, shopTypes, tags } from './shop'

const orders = makeOrders(40)

/** Orders by state, in the order of the states. */
function byState(): readonly (readonly [state: string, orders: readonly Order[]])[] {
  const states = [...new Set(orders.map(({ state }) => state))].sort()
  return states.map((state) => [state, orders.filter((order) => order.state === state)])
}

const quantityOf = (some: readonly Order[]): number =>
  some.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0)

describe('the explorer on groups', () => {
  const { world } = stocked(testDatabase('sqlite'), shopTypes as never, {
    ...{ country: countries, tag: tags, customer: customers, order: orders as never },
  })
  let at = ''
  beforeAll(async () => {
    const content = world.closing(
      contentRouter({
        ...{ contentTypes: shopTypes as never, database: world.config, logger: false },
        permissions: { public: { find: ['order', 'customer'], aggregate: ['order'] } },
        extensions: [aggregates()],
      }),
    )
    const host = await serveRouters({ '/api': content, '/explorer': contentExplorer(content) })
    at = `${world.closing(host).at}/explorer/`
  })

  /** Each row of the chart: group, value, and width of the bar. */
  async function barsOf(page: Page, name: string): Promise<readonly (readonly [string, string, number])[]> {
    const rows = await page
      .getByRole('table', { name: `${name} by group` })
      .locator('tbody tr')
      .all()
    return Promise.all(
      rows.map(async (row) => {
        const box = await row.locator('.bar').boundingBox()
        const texts = await row.locator('th, .number').allTextContents()
        return [texts[0] ?? '', texts[1] ?? '', box?.width ?? 0] as const
      }),
    )
  }

  inBrowser('builds a query of groups by clicks, and draws a bar for each group', async (page) => {
    const { written, says, complaints } = await openExplorer(page, at)
    await page.getByLabel('Content type').selectOption('orders')
    await page.getByRole('radio', { name: 'Aggregate' }).check()
    await says(/^200 OK 1 of 1 group,/)
    await page.getByLabel('Add a group').selectOption('state')
    await says(/^200 OK 3 of 3 groups,/)
    await page.getByLabel('Add a function').selectOption('sum.quantity')
    await page.getByRole('combobox', { name: 'Function', exact: true }).selectOption('sum.quantity')
    const bars = await barsOf(page, 'sum.quantity')
    const expected = byState().map(([state, some]) => [state, quantityOf(some)] as const)
    expect(bars.map(([state, value]) => [state, Number(value)])).toEqual(expected)
    const largest = Math.max(...expected.map(([, value]) => value))
    const widest = Math.max(...bars.map(([, , width]) => width))
    for (const [index, [, , width]] of bars.entries())
      expect(width / widest).toBeCloseTo((expected[index]?.[1] ?? 0) / largest, 1)
    await page.getByRole('button', { name: 'Remove the function sum.quantity' }).click()
    await says(/^200 OK 3 of 3 groups,/)
    expect(await written()).toBe('/api/orders/aggregate?aggregate[count]=true&groupBy=state')
    expect((await barsOf(page, 'count')).map(([state, value]) => [state, Number(value)])).toEqual(
      byState().map(([state, some]) => [state, some.length]),
    )
    expect(complaints).toEqual([])
  })

  inBrowser('offers aggregates only for types with the grant', async (page) => {
    const { says } = await openExplorer(page, at)
    await page.getByLabel('Content type').selectOption('customers')
    await says(/^200 OK/)
    expect(await page.getByRole('radio', { name: 'Aggregate' }).count()).toBe(0)
  })

  inBrowser('draws a line for months, in light and dark colors and on a phone', async (page) => {
    const query = 'orders/aggregate?groupBy=placedAt:month&aggregate[count]=true'
    const months = new Set(orders.flatMap(({ placedAt }) => (placedAt === null ? [] : placedAt.slice(0, 7))))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await openExplorer(page, `${at}?${colorScheme}#/api/${query}`)
      const line = page.getByRole('img', { name: /^count by date from / })
      const points = await line.locator('.points').getAttribute('d')
      expect(points?.match(/M/g)).toHaveLength(months.size)
      expect([colorScheme, await violations()]).toEqual([colorScheme, []])
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('tab', { name: 'Response', exact: true }).click()
    expect((await barsOf(page, 'count')).length).toBeGreaterThanOrEqual(months.size)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390)
  })
})
