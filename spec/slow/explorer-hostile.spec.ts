import express from 'express'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { contentExplorer } from '../../extensions/explorer'
import { inBrowser } from '../support/browser'
import { testDatabase } from '../support/databases'
import { openExplorer } from '../support/explored-page'
import { type Host, serveRouters } from '../support/host'
import { collection, picture, text } from '../support/library'
import { stocked } from '../support/served'

const script = '<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>'
const types = [
  collection('page', { title: text, body: { type: 'richtext' }, blocks: { type: 'blocks' }, cover: picture }),
] as unknown as ContentRouterConfig['contentTypes']

const word = (words: string): object => ({ type: 'text', text: words })

const content = {
  file: [
    { $ref: 'elsewhere', name: 'a', url: 'https://elsewhere.example/a.png', mime: 'image/png' },
    { $ref: 'svg', name: script, url: '/harm.svg', mime: 'image/svg+xml' },
  ],
  page: [
    {
      title: script,
      body: `${script}\n\n[x](javascript:alert(4))\n\n${'long '.repeat(50)}`,
      blocks: [
        {
          type: 'paragraph',
          children: [{ type: 'link', url: 'javascript:alert(5)', children: [word(script)] }],
        },
        { type: 'heading', level: '1"><script>alert(6)</script>', children: [word(script)] },
        {
          type: 'list',
          format: 'ordered',
          children: [{ type: 'list-item', children: [word('one')] }],
        },
      ],
      cover: 'elsewhere',
    },
    { title: '{"data":1}', body: null, cover: 'svg' },
  ],
} as unknown as SeedContent

describe('content that was written to harm', () => {
  const { world } = stocked(testDatabase('sqlite'), types, content)
  let host: Host
  beforeAll(async () => {
    const api = world.closing(
      contentRouter({
        contentTypes: types,
        database: world.config,
        permissions: { public: { find: '*' } },
        logger: false,
      }),
    )
    const pictures = express.Router().get('/harm.svg', (_req, res) => {
      res
        .type('svg')
        .send(
          '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>parent.alert(8)</script></svg>',
        )
    })
    const explorer = contentExplorer(api, { title: script })
    host = await serveRouters({ '/api': api, '/explorer': explorer, '/': pictures })
  })
  afterAll(() => host.close())

  inBrowser('is text in every view, runs nowhere and asks nobody else', async (page) => {
    const { ask, complaints } = await openExplorer(page, `${host.at}/explorer/#/api/pages?populate=*`)
    const markup = 'script:not([src="page.js"]), [onerror], [onload], a[href^="javascript"], iframe, svg'
    for (const tab of ['Tree', 'Table', 'Pictures', 'Texts', 'JSON']) {
      await page.getByRole('tab', { name: tab }).click()
      for (const summary of await page.getByRole('tabpanel').last().locator('summary').all()) {
        await summary.click()
      }
      expect([tab, await page.locator(markup).count()]).toEqual([tab, 0])
    }
    await page.getByRole('tab', { name: 'Texts' }).click()
    await page.getByText('[0].blocks').click()
    await page.getByText('(javascript:alert(5))').waitFor()
    await page.getByRole('tab', { name: 'Pictures' }).click()
    await page.getByText('Not shown, on another host: https://elsewhere.example/a.png').waitFor()
    const odd = encodeURIComponent('<img src=x onerror=alert(9)>')
    await ask(`/api/pages?filters[title][$eq]=${encodeURIComponent(script)}&populate[${odd}]=true`)
    await page.getByRole('group', { name: 'Request error' }).waitFor()
    await ask(`/api/${odd}`)
    expect(await page.locator(markup).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
