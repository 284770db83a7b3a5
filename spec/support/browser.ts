import { chromium, type Page } from 'playwright-core'
import { findProgram } from './servers/private-server'

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome')
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

/** A spec that needs a browser. As with the databases: it runs where there is one, and with CI=true it must. */
export function inBrowser(name: string, body: (page: Page) => Promise<void>): void {
  if (executablePath === undefined && process.env['CI'] !== 'true') {
    process.stdout.write(`\nNo browser, so this does not run: ${name}. To add it: apt-get install chromium\n`)
    return
  }
  it(
    name,
    async () => {
      if (executablePath === undefined) throw new Error('with CI=true Chromium must be there')
      const browser = await chromium.launch({ executablePath, args })
      try {
        await body(await browser.newPage())
      } finally {
        await browser.close()
      }
    },
    60_000,
  )
}
