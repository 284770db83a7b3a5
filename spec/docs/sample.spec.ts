import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inBrowser } from '../support/browser'
import { openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

const root = join(__dirname, '..', '..')

/** What the sample promises of one of the queries that it offers. */
interface Example {
  readonly title: string
  readonly query: string
  readonly role?: string
  readonly shows?: string
}

interface ToldPage {
  readonly examples: readonly { readonly queries: readonly Example[] }[]
}

/** Whether one of the entries has a value at the path. */
function hasValue(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((element) => hasValue(element, path))
  const [name, ...rest] = path
  if (name === undefined) return value !== null && value !== undefined && value !== ''
  return (
    typeof value === 'object' && value !== null && hasValue((value as Record<string, unknown>)[name], rest)
  )
}

describe('the sample site', () => {
  let site: SampleSite

  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  const get = (path: string, role = 'public'): Promise<Response> =>
    fetch(site.at + path, { headers: { 'X-Role': role } })

  it('answers every query that it offers with what it promises', async () => {
    const { examples } = (await (await get('/explorer/types')).json()) as ToldPage
    const all = examples.flatMap(({ queries }) => queries)
    const broken: unknown[] = []
    for (const { query, role, shows } of all) {
      const response = await get(`/api/${query}`, role)
      const { data } = (await response.json()) as { data: unknown }
      const kept = shows === undefined ? hasValue(data, ['id']) : hasValue(data, shows.split('.'))
      if (response.status !== 200 || !kept) broken.push({ query, role, shows, status: response.status })
    }
    expect(broken).toEqual([])
    expect(all.length).toBeGreaterThan(30)
  })

  it('answers every link that it says when it starts, as a terminal opens it', async () => {
    const statuses = await Promise.all(
      site.links.map(async (link) => {
        const headers = { 'X-Role': link.includes('status=draft') ? 'editor' : 'public' }
        return [link, (await fetch(link, { headers })).status, /[[\]]/.test(link)]
      }),
    )
    expect(statuses).toEqual(site.links.map((link) => [link, 200, false]))
    expect(statuses.length).toBeGreaterThan(4)
  })

  it('keeps letters and drafts from the public', async () => {
    expect((await get('/api/letters')).status).toBe(403)
    expect((await get('/api/articles?status=draft')).status).toBe(403)
  })

  it('serves every picture in every size', async () => {
    const { data } = (await (await get('/api/articles?populate=cover')).json()) as {
      data: { cover: { url: string; formats: Record<string, { url: string }> } }[]
    }
    const urls = data.flatMap(({ cover }) => [
      cover.url,
      ...Object.values(cover.formats).map(({ url }) => url),
    ])
    const answers = await Promise.all([...new Set(urls)].map((url) => get(url)))
    expect(
      new Set(answers.map(({ status, headers }) => `${String(status)} ${headers.get('content-type') ?? ''}`)),
    ).toEqual(new Set(['200 image/svg+xml; charset=utf-8']))
    expect((await get('/uploads/nothing-here')).status).toBe(404)
  })

  inBrowser('opens the explorer, which asks what it offers', async (page) => {
    const { says, body, complaints } = await openExplorer(page, site.at)
    await page.getByText('Roles and drafts').click()
    await page.getByRole('button', { name: 'Drafts, for editors' }).click()
    await says('200 OK as editor')
    const { data } = (await body()) as { data: { title: string }[] }
    expect(data.map(({ title }) => title)).toContain('The woman who draws kerbs')
    expect(complaints).toEqual([])
  })

  it('leaves no database behind', async () => {
    const file = join(root, '.tmp', `sample-${String(site.pid)}.db`)
    expect(existsSync(file)).toBe(true)
    await site.stop()
    expect(existsSync(file)).toBe(false)
  })
})
