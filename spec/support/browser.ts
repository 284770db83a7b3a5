import { type Browser, chromium, type Page } from 'playwright-core'
import { findProgram } from './servers/private-server'

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome')
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

/** One for all specs of a file: to start one takes longer than most of them. */
let launched: Promise<Browser> | null = null

afterAll(async () => {
  await (await launched)?.close()
})

/** A spec that needs a browser. As with the databases: it runs where there is one, and with CI=true it must. */
export function inBrowser(name: string, body: (page: Page) => Promise<void>): void {
  if (executablePath === undefined && process.env['CI'] !== 'true') {
    it.skip(`${name} (needs Chromium: apt-get install chromium)`, () => undefined)
    return
  }
  it(
    name,
    async () => {
      if (executablePath === undefined) throw new Error('with CI=true Chromium must be there')
      launched ??= chromium.launch({ executablePath, args })
      // As a person's own: nothing that was stored or asked is there for the next.
      const context = await (await launched).newContext()
      try {
        await body(await context.newPage())
      } finally {
        await context.close()
      }
    },
    60_000,
  )
}
