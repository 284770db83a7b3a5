import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { namedQueries } from '../../extensions/queries'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { contentExplorer } from '../../extensions/explorer'
import { inBrowser } from '../support/browser'
import { testDatabase } from '../support/databases'
import { openExplorer } from '../support/explored-page'
import { type Host, serveRouters } from '../support/host'
import { collection, text } from '../support/library'
import { stocked } from '../support/served'
import { observe } from '../../extensions/observe'

const types = [
  collection(
    'thing',
    { title: text, kind: { type: 'enumeration', enum: ['new', 'old'] } },
    { drafts: true, localized: true },
  ),
  collection('note', { text: { type: 'string' }, blocks: { type: 'blocks' } }),
] as unknown as ContentRouterConfig['contentTypes']

const word = (words: string): object => ({ type: 'text', text: words })

const content = {
  $locales: ['en', 'de', 'pt-BR'],
  thing: [
    { title: 'Lamp', $locales: { de: { title: 'Lampe' } } },
    { title: 'Chair', $locales: { 'pt-BR': { title: 'Cadeira' } } },
  ],
  note: [
    {
      text: 'x',
      blocks: [
        { type: 'paragraph', children: [word('It can be read.')] },
        { type: 'quote', children: null },
        { type: 'song', children: [word('la')] },
        null,
        99,
        { type: 'heading', level: 99, children: [word('It can be read, too.')] },
      ],
    },
  ],
} as unknown as SeedContent

async function addressOf(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api`
}

/** What a host may have set otherwise than the sample, and what may stand around a router. */
describe('the explorer of a host', () => {
  const { world } = stocked(testDatabase('sqlite'), types, content)
  /** Never says anything. */
  const silence = createServer({ keepAliveTimeout: 0 }, () => undefined)
  let host: Host
  let outside: string[] = []
  let answersTo: 'router' | 'log-in' | 'nobody' = 'router'

  beforeAll(async () => {
    const api = world.closing(
      contentRouter({
        contentTypes: types,
        database: world.config,
        role: (req) => req.get('X-Test-Role') ?? 'public',
        permissions: {
          public: { find: ['thing', 'note'] },
          ruled: { find: ['thing'] },
          editor: { find: '*', drafts: '*' },
          bound: { find: ['thing'], queries: 'named' },
        },
        extensions: [
          namedQueries({
            titled: {
              type: 'thing',
              query: { fields: ['title'], sort: 'title' },
              parameters: { of: 'filters.title.$contains' },
            },
          }),
          observe({ serverTiming: true }),
        ],
        cache: {},
        logger: false,
      }),
    )
    const around = express.Router().use('/explorer/ask', (_req, res, next) => {
      if (answersTo === 'router') next()
      else if (answersTo === 'log-in') res.redirect('/log-in')
    })
    const rest = express.Router().use((req, res) => {
      if (req.path !== '/favicon.ico') outside.push(req.path)
      res.send('<h1>Elsewhere</h1>')
    })
    const roles = (): string[] => ['ruled', 'editor', 'bound']
    const examples = [
      {
        title: 'To begin with',
        queries: [
          { title: 'As anybody', query: 'notes' },
          { title: 'As an editor', query: 'things?status=draft', role: 'editor' },
          { title: 'As an owner', query: 'things', role: 'owner' },
        ],
      },
      { title: "The owner's", queries: [{ title: 'Their notes', query: 'notes', role: 'owner' }] },
    ]
    const explorer = contentExplorer(api, { roles, examples })
    host = await serveRouters({
      '/api': api,
      '/': around,
      '/explorer': explorer,
      '/beside-silence': contentExplorer(api, { beside: await addressOf(silence) }),
      '/ctl': rest,
      '/log-in': rest,
    })
  })
  beforeEach(() => {
    outside = []
    answersTo = 'router'
  })
  afterAll(async () => {
    silence.closeAllConnections()
    silence.close()
    await host.close()
  })

  inBrowser('shows its answer while the one beside is waited for', async (page) => {
    const { body } = await openExplorer(page, `${host.at}/beside-silence/#/api/things`)
    await page.getByText('Waiting for Strapi…').waitFor()
    expect((await body()) as object).toMatchObject({ data: [{ title: 'Lamp' }, { title: 'Chair' }] })
  })

  inBrowser('asks nothing but the API, whatever a link says', async (page) => {
    const paths = [
      '/api/../../ctl?x=1',
      '/api/%2e%2e/%2E%2E/ctl',
      '/api/..\\..\\ctl',
      '/api/things/..%2f..%2f..%2fctl',
      '/api/things/%252e%252e/%252e%252e/ctl',
      '/api/.\t./.\t./ctl',
      '/api/things/.%2e/.%2e/.%2e/ctl',
    ]
    const { ask, status } = await openExplorer(page, `${host.at}/explorer/`)
    for (const path of paths) {
      await page.goto(`${host.at}/explorer/?${String(paths.indexOf(path))}#${path}`)
      await status.filter({ hasText: 'the path leaves the API' }).waitFor()
    }
    await ask('/api/things?filters[title]=a..b')
    await ask('/api/things/..a')
    expect(outside).toEqual([])
  })

  inBrowser('offers no example that is meant for somebody whom one may not ask as', async (page) => {
    const { written, says, body } = await openExplorer(page, `${host.at}/explorer/`)
    const examples = page.locator('details.examples')
    await examples.getByRole('button').first().waitFor()
    expect(await examples.getByRole('button').allTextContents()).toEqual(['As anybody', 'As an editor'])
    expect(await examples.textContent()).not.toContain('owner')
    await examples.getByRole('button', { name: 'As an editor' }).click()
    await says(/^200 OK/)
    expect(await written()).toBe('/api/things?status=draft')
    expect((await body()) as object).toMatchObject({ data: [{ title: 'Lamp' }, { title: 'Chair' }] })
  })

  inBrowser('offers its named queries, with what they want to know', async (page) => {
    const { query, written, says, body, ask } = await openExplorer(page, `${host.at}/explorer/#/api/things`)
    await page.getByLabel('Named query').selectOption('titled')
    await says('400 Bad Request')
    await page.getByLabel('of', { exact: true }).fill('Lam')
    await page.getByLabel('of', { exact: true }).press('Enter')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/things?query=titled&of=Lam')
    expect(await body()).toMatchObject({ data: [{ title: 'Lamp' }] })
    expect(await page.getByRole('tree', { name: 'Attributes of things' }).count()).toBe(0)
    await page.getByLabel('Named query').selectOption('')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/things')
    await query.fill('')
    await query.pressSequentially('/api/things?que')
    await query.press('Enter')
    await page.getByRole('option', { name: 'titled of' }).waitFor()
    await ask('/api/things?query=titel&of=x')
    await page.getByText('Did you mean').getByRole('button', { name: 'titled' }).waitFor()
  })

  inBrowser('begins with a named query for whoever is answered no other', async (page) => {
    const { written } = await openExplorer(page, `${host.at}/explorer/#as=bound`)
    expect(await written()).toBe('/api/things?query=titled')
    await page.getByText('The current role can send only named queries.').waitFor()
  })

  inBrowser('offers the languages that there are entries in', async (page) => {
    const { written, says } = await openExplorer(page, `${host.at}/explorer/#/api/things`)
    const locale = page.getByRole('combobox', { name: 'Locale' })
    await locale.locator('option', { hasText: 'pt-BR' }).waitFor({ state: 'attached' })
    expect(await locale.locator('option').allTextContents()).toEqual(['default', 'de', 'en', 'pt-BR', 'all'])
    await locale.selectOption('de')
    await says('1 of 1 entry')
    expect(await written()).toBe('/api/things?locale=de')
  })

  inBrowser('tells what was read from what was kept, and from what had not changed', async (page) => {
    const { ask, says, status } = await openExplorer(page, `${host.at}/explorer/`)
    await ask('/api/things?sort=title:desc')
    await status.filter({ hasText: 'read from the database' }).waitFor()
    await page.waitForTimeout(50)
    await ask('/api/things?sort=title:desc')
    await ask('/api/things?sort=title:desc')
    await says(/^200 OK.*cache hit$/)
    await page.getByRole('button', { name: 'Benchmark ×20' }).click()
    await page.getByText(/^median [\d.]+ ms.*, 20 cache hits; 304 Not Modified in [\d.]+ ms$/).waitFor()
  })

  inBrowser('says which option lets answers be explained, where it is not set', async (page) => {
    const { violations } = await openExplorer(page, `${host.at}/explorer/`)
    expect(await page.getByLabel('Explain').isDisabled()).toBe(true)
    await page.getByText('needs explain of the extension observe()').waitFor()
    expect(await violations()).toEqual([])
  })

  inBrowser('stops to wait, by the button and by Escape', async (page) => {
    const { query, says, ask, status } = await openExplorer(page, `${host.at}/explorer/`)
    answersTo = 'nobody'
    for (const stop of [
      () => page.getByRole('button', { name: 'Stop' }).click(),
      () => query.press('Escape'),
    ]) {
      await query.fill('/api/things')
      await query.press('Control+Enter')
      await page.getByRole('button', { name: 'Stop' }).waitFor()
      await stop()
      await status.filter({ hasText: 'The request was canceled' }).waitFor()
    }
    answersTo = 'router'
    await ask('/api/things')
    await says(/^200 OK/)
  })

  inBrowser('does not take a page to log in for an answer', async (page) => {
    const { query, status } = await openExplorer(page, `${host.at}/explorer/`)
    answersTo = 'log-in'
    await query.fill('/api/things')
    await query.press('Control+Enter')
    await status.filter({ hasText: 'a login page' }).waitFor()
    expect(outside).toEqual([])
  })

  inBrowser('lets a link in the place of another be asked as oneself', async (page) => {
    await page.goto(`${host.at}/explorer/#as=nobody/api/things`)
    await page.getByText('The link requests the role nobody').waitFor()
    await page.getByRole('button', { name: 'Use my session' }).click()
    await page.locator('#status').filter({ hasText: '200 OK' }).waitFor()
  })

  inBrowser('names those who may read drafts, where they are what is refused', async (page) => {
    const { ask, says } = await openExplorer(page, `${host.at}/explorer/`)
    await ask('/api/things?status=draft')
    await says('403 Forbidden')
    const others = page.getByText('Roles with access')
    await others.waitFor()
    expect(await others.getByRole('button').allTextContents()).toEqual(['editor'])
    expect(await page.locator('.written mark').textContent()).toBe('draft')
  })

  inBrowser('marks the value that is wrong, and offers those that are not', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${host.at}/explorer/`)
    for (const [asked, marked, meant, then] of [
      ['things?sort=title:up', 'up', 'asc', 'things?sort=title:asc'],
      ['things?status=publishd', 'publishd', 'published', 'things?status=published'],
      ['things?filters[id]=abc', 'abc', null, null],
    ] as const) {
      await ask(asked)
      await says('400 Bad Request')
      const refused = page.getByRole('group', { name: 'Request error' })
      expect([asked, await page.locator('.written mark').textContent()]).toEqual([asked, marked])
      if (meant === null) continue
      await refused.getByRole('button', { name: meant, exact: true }).click()
      await says(/^200 OK/)
      expect(await written()).toBe(`/api/${then}`)
    }
  })

  inBrowser('asks the line for a shell that it shows', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${host.at}/explorer/`)
    await ask("/api/things?filters[title][$ne]=o's&fields[0]=title")
    await page.getByRole('tab', { name: 'curl' }).click()
    const line = (await page.getByLabel('Code for curl').textContent()) ?? ''
    await ask('/api/notes')
    await ask(line)
    await says(/^200 OK/)
    expect(await written()).toBe("/api/things?filters[title][$ne]=o's&fields[0]=title")
    await ask('/api/secrets')
    expect(await page.getByRole('tablist', { name: 'Code' }).getByRole('tab').allTextContents()).toEqual([
      'object',
      'curl',
      'fetch',
    ])
  })

  inBrowser('shows the texts of an editor of which one is odd', async (page) => {
    await openExplorer(page, `${host.at}/explorer/#/api/notes`)
    await page.getByRole('tab', { name: 'Texts' }).click()
    await page.getByText('[0].blocks').click()
    await page.getByText('It can be read.').waitFor()
    await page.getByText('[quote: not readable]').waitFor()
    await page.getByText('[song: la]').waitFor()
  })
})
