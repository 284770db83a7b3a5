import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { inBrowser } from '../../support/browser'
import { readAsked } from '../../../explorer/asked'
import { codeOf, type Language } from '../../../explorer/code'
import { type Told, typeAt, typesByUid } from '../../../explorer/told'
import { type ExploredPage, openExplorer } from '../../support/explored-page'
import { type SampleSite, startSample } from '../../support/sample-site'
import { problemsIn } from '../../support/type-check'

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
  let told: Told
  beforeAll(async () => {
    site = await startSample()
    told = (await (await fetch(`${site.at}/explorer/types`)).json()) as Told
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser('asks in the place of the role that was chosen', async (page) => {
    const explored = await openExplorer(page, `${site.at}/explorer/#as=reader/api/letters?fields=signedBy`)
    const { says, body, ask, query } = explored
    const { codeFor, note } = codesOf(explored)
    await says('200 OK as reader')
    const shown = await body()
    const line = await codeFor('curl')
    expect(await inShell(line)).toEqual(shown)
    expect(await note()).toMatch(/^Asked by this page, in the place of reader/)
    const fetched = await page.evaluate<unknown>(
      `(async () => { ${await codeFor('fetch')}; return { data, meta } })()`,
    )
    expect(fetched).toEqual(shown)
    expect(await codeFor('in the process')).toContain(`api.as('reader').find('letters'`)
    expect(await note()).toBe('Copy ')
    await codeFor('typed client')
    expect(await note()).toMatch(/not in the place of reader/)
    await ask('/api/tags')
    await ask(line)
    await says('200 OK as reader')
    expect(await query.inputValue()).toBe('/api/letters?fields=signedBy')
  })

  const codeFor = (language: Language, text: string, who: object = {}): string => {
    const asked = readAsked(text, told.at)
    const code = codeOf(language, {
      ...{ ...asked, type: typeAt(told.types, asked.path[0] ?? ''), types: typesByUid(told.types) },
      ...{
        origin: site.at,
        at: told.at,
        ask: '/explorer/ask',
        role: '',
        isNamed: false,
        hasToken: false,
        ...who,
      },
    })
    return code ?? 'none'
  }

  it.each([
    'articles?fields=title,slug&sort=title:desc,id&populate=author,tags',
    'articles?fields=title&sort=title&populate[author][fields]=name',
    'articles?filters[featured]=false&filters[$or][0][featured][$in][0]=true&filters[$or][1][fee][$gt]=3',
    'articles?filters[$not][featured][$eq]=t&filters[tags][$some][name]=rain&filters[sections][$count][$gte]=2',
    'articles?populate[sections][on][story.prose][fields]=heading,text&populate[tags][count]=true',
    'articles?filters[author][homeCity][name][$startsWithi]=l&pagination[page]=2&pagination[withCount]=false',
    'articles?populate[author][filters][articles][$some][featured]=true&locale=fr&fallback=en',
    'articles/by/slug/four-kinds-of-rain?fields=title',
  ])('for the typed client compiles: %s', (text) => {
    const code = codeFor('typed client', `/api/${text}`)
    const here = code
      .replace('express-content-router/client', '../../lib/client')
      .replace("'./content'", "'../client/sample-content'")
    expect(problemsIn(__dirname, here)).toEqual([])
  })

  it('for a shell asks for letters of any kind', async () => {
    const code = codeFor('curl', '/api/articles?filters[title]=Bakers’ hours&fields=title')
    expect(code).toMatch(/^[ -~]*$/)
    expect(await inShell(code)).toMatchObject({ data: [{ title: 'Bakers’ hours' }] })
  })

  it('names no role where the host has named whoever asks otherwise', () => {
    const code = codeFor('in the process', '/api/tags', { role: 'Inês, a writer', isNamed: true })
    expect(code).toContain(`api.as(roles['Inês, a writer']).find('tags')`)
  })

  it('leads nowhere else', () => {
    expect(codeFor('curl', '/api/../explorer/types')).toBe('none')
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
    expect(code).toContain('is made by: npx express-content-router types --out content.ts')
  })
})
