import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inBrowser } from '../../support/browser'
import { findProgram } from '../../support/servers/private-server'
import { startSample, type SampleSite } from '../../support/sample-site'

const run = promisify(execFile)
const root = join(__dirname, '..', '..', '..')

/** Reads a list, goes through pages with a time-out and a signal, is refused, and gives up. */
const usage = `
async function told(url) {
  const client = contentClient({ url, timeout: 20_000, etags: true })
  const names = []
  const { signal } = new AbortController()
  for await (const { name } of client.each('tags', { pagination: { pageSize: 4 } }, { signal })) names.push(name)
  const first = await client.find('tags', { pagination: { pageSize: 1 } })
  const again = await client.find('tags', { pagination: { pageSize: 1 } })
  const refused = await client.by('articles', 'slug', '../nowhere').catch((error) => error)
  const late = await contentClient({ url, headers: () => new Promise(() => {}), timeout: 50 })
    .find('tags')
    .catch((error) => error)
  return {
    names: names.length,
    same: JSON.stringify(first) === JSON.stringify(again),
    refused: [refused instanceof ContentError, refused.status, refused.name],
    late: late.name,
  }
}
told(address).then((found) => console.log(JSON.stringify(found)))
`
const asModule = (from: string, address: string): string =>
  `import { contentClient, ContentError } from '${from}'\nconst address = '${address}'\n${usage}`
const asScript = (from: string, address: string): string =>
  `const { contentClient, ContentError } = require('${from}')\nconst address = '${address}'\n${usage}`

describe('the client that is published', () => {
  let site: SampleSite
  let folder = ''
  beforeAll(async () => {
    site = await startSample()
    if (!existsSync(join(root, 'dist', 'extensions', 'client', 'index.mjs')))
      throw new Error('run `npm run build` first')
    mkdirSync(join(root, '.tmp'), { recursive: true })
    folder = mkdtempSync(join(root, '.tmp', 'runtimes-'))
  }, 120_000)
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    await site.stop()
  })

  async function told(
    program: string,
    words: readonly string[],
    name: string,
    code: string,
  ): Promise<unknown> {
    const file = join(folder, name)
    writeFileSync(file, code)
    const { stdout } = await run(program, [...words, file], { cwd: folder, timeout: 60_000 })
    return JSON.parse(stdout)
  }

  const right = { names: 9, same: true, refused: [true, 404, 'NotFoundError'], late: 'TimeoutError' }
  const published = 'express-content-router/client'
  const api = (): string => `${site.at}/api`

  it('reads in Node as a module', async () => {
    expect(await told(process.execPath, [], 'usage.mjs', asModule(published, api()))).toEqual(right)
  })

  it('reads in Node as CommonJS', async () => {
    expect(await told(process.execPath, [], 'usage.cjs', asScript(published, api()))).toEqual(right)
  })

  // Neither is needed to build the package: it is asked there where they are installed.
  const others = [
    { name: 'deno', words: ['run', '--no-config', '--allow-net'] },
    { name: 'bun', words: [] },
  ].flatMap(({ name, words }) => {
    const program = findProgram(name)
    if (program === undefined) process.stdout.write(`\nNo ${name}, so the client is not asked there.\n`)
    return program === undefined ? [] : [{ name, program, words }]
  })
  for (const { name, program, words } of others)
    it(`reads in ${name}`, async () => {
      const code = asModule('../../dist/extensions/client/index.mjs', api())
      expect(await told(program, words, `${name}.mjs`, code)).toEqual(right)
    })

  inBrowser('reads in a browser that imports its one file', async (page) => {
    const file = readFileSync(join(root, 'dist', 'extensions', 'client', 'index.mjs'), 'utf8')
    await page.route('**/client.mjs', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: file }),
    )
    await page.route('**/usage.mjs', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: asModule('/client.mjs', api()) }),
    )
    // A page of that host that lets scripts be added.
    await page.goto(`${site.at}/api/imprint`)
    const printed = page.waitForEvent('console', (said) => said.type() === 'log')
    await page.addScriptTag({ type: 'module', url: '/usage.mjs' })
    expect(JSON.parse((await printed).text())).toEqual(right)
  })
})
