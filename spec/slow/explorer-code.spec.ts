import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inBrowser } from '../support/browser'
import { type ExploredPage, openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

const run = promisify(execFile)

/** As somebody pastes it into a shell; what it does not know is in its environment. */
const inShell = async (line: string, env: Readonly<Record<string, string>> = {}): Promise<unknown> =>
  JSON.parse((await run('sh', ['-c', line], { env: { ...process.env, ...env } })).stdout) as unknown

interface Coded {
  readonly codeFor: (language: string) => Promise<string>
  /** What stands beside the code. */
  readonly note: () => Promise<string>
}

const codesOf = ({ page }: ExploredPage): Coded => ({
  codeFor: async (language) => {
    await page.getByRole('tab', { name: language, exact: true }).click()
    return (await page.getByRole('group', { name: `Code for ${language}` }).textContent()) ?? ''
  },
  note: async () =>
    (await page
      .getByRole('tabpanel')
      .filter({ has: page.locator('pre.code') })
      .locator('p')
      .first()
      .textContent()) ?? '',
})

describe('the code of the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser('asks in the place of the role that was chosen', async (page) => {
    const explored = await openExplorer(page, `${site.at}/explorer/#as=reader/api/letters?fields=signedBy`)
    const { says, body, ask, written } = explored
    const { codeFor, note } = codesOf(explored)
    await says('200 OK as reader')
    const shown = await body()
    const line = await codeFor('curl')
    expect(await inShell(line)).toEqual(shown)
    expect(await note()).toMatch(/^This code sends the request to the explorer with the role reader/)
    const fetched = await page.evaluate<unknown>(
      `(async () => { ${await codeFor('fetch')}; return { data, meta } })()`,
    )
    expect(fetched).toEqual(shown)
    expect(await codeFor('in-process')).toContain(`api.as('reader').find('letters'`)
    expect(await note()).toBe('Copy ')
    await codeFor('typed client')
    expect(await note()).toMatch(/of its caller, not reader/)
    await ask('/api/tags')
    await ask(line)
    await says('200 OK as reader')
    expect(await written()).toBe('/api/letters?fields=signedBy')
  })

  inBrowser('asks with the token that is used, and does not show it', async (page) => {
    const explored = await openExplorer(page, `${site.at}/explorer/#/api/tags?fields=name`)
    const { codeFor } = codesOf(explored)
    await page.getByText('Token', { exact: true }).click()
    await page.getByLabel('Bearer token').fill('secret-word')
    await page.getByRole('button', { name: 'Use' }).click()
    await explored.says(/^200 OK/)
    const line = await codeFor('curl')
    expect(await inShell(line.replace('curl', 'curl -s'), { TOKEN: 'secret-word' })).toEqual(
      await explored.body(),
    )
    expect(line).toContain('-H "Authorization: Bearer $TOKEN"')
    for (const language of ['fetch', 'typed client', '@strapi/client'])
      expect(await codeFor(language)).toMatch(/\$\{token\}|auth: token/)
    expect(await page.locator('body').textContent()).not.toContain('secret-word')
  })

  inBrowser('says which command makes the types that it needs', async (page) => {
    const { codeFor } = codesOf(await openExplorer(page, `${site.at}/explorer/#/api/tags`))
    const code = await codeFor('typed client')
    expect(code).toContain('Generate ./content: npx express-content-router types --out content.ts')
  })
})
