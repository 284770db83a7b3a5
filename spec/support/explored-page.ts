import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

/** The explorer as somebody has it before them. */
export interface ExploredPage {
  readonly page: Page
  readonly query: Locator
  /** The query in the box as a URL, without its line ends. */
  readonly written: () => Promise<string>
  readonly status: Locator
  /** Writes a query into the box and sends it by the keyboard. */
  readonly ask: (text: string) => Promise<void>
  /** Waits until the line above the answer says so. */
  readonly says: (text: string | RegExp) => Promise<void>
  /** What the answer holds, as its JSON says it. */
  readonly body: () => Promise<{ readonly data: unknown; readonly meta?: unknown }>
  /** What axe finds wrong with the page as it stands. */
  readonly violations: () => Promise<readonly string[]>
  /** What the browser complained of, and each address that was asked of another host. */
  readonly complaints: readonly string[]
}

/** Answers that are refused are asked for here, and no fault of the page. */
const isRefusal = (text: string): boolean => /status of (400|403|404)/.test(text)

export async function openExplorer(page: Page, address: string): Promise<ExploredPage> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!isRefusal(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const { origin } = new URL(address)
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`asks ${request.url()}`)
  })
  await page.goto(address)
  const query = page.getByRole('textbox', { name: 'Query', includeHidden: true })
  const written = async (): Promise<string> => (await query.inputValue()).replaceAll('\n', '')
  const status = page.locator('#status')
  const says = async (text: string | RegExp): Promise<void> => {
    try {
      // On a phone the response may be behind another tab.
      await status.filter({ hasText: text }).waitFor({ state: 'attached', timeout: 15_000 })
    } catch {
      throw new Error(`${String(await status.textContent())} is said of ${await written()}`)
    }
  }
  await says(/^\d{3} /)
  return {
    ...{ page, query, written, status, says, complaints },
    ask: async (text) => {
      const tab = page.getByRole('tab', { name: 'Query' })
      if (await tab.isVisible()) await tab.click()
      await query.fill(text)
      await query.press('Control+Enter')
      await says(/^\d{3} /)
    },
    body: async () => {
      await page.getByRole('tab', { name: 'JSON' }).click()
      const json = await page.getByLabel('Response as JSON', { exact: true }).textContent()
      return JSON.parse(json ?? '') as { data: unknown }
    },
    violations: async () => {
      await page.evaluate(axe)
      // All that is well is told of once: to describe each element of it takes most of the time.
      const { violations } = await page.evaluate<AxeResults>(
        `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
      )
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    },
  }
}
