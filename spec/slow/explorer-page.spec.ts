import { inBrowser } from '../support/browser'
import { openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

describe('the page of the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  inBrowser(
    'asks what is written, by the keyboard and by the button, whatever address it was copied from',
    async (page) => {
      const { query, written, ask, says, body, complaints } = await openExplorer(page, `${site.at}/explorer`)
      await ask('articles?fields=title&pagination[pageSize]=2&sort=title')
      expect(await written()).toBe('/api/articles?fields=title&pagination[pageSize]=2&sort=title')
      const { data } = await body()
      const came: unknown = await (
        await fetch(`${site.at}/api/articles?fields=title&pagination[pageSize]=2&sort=title`)
      ).json()
      expect({ data }).toEqual({ data: (came as { data: unknown }).data })
      await query.fill('https://example.org/api/cities?pagination[pageSize]=3')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await says('200 OK 3 of 8 entries')
      expect(complaints).toEqual([])
    },
  )

  inBrowser('shows no old answer under a new query, nor one that comes late', async (page) => {
    const { query, written, ask, says, status } = await openExplorer(page, `${site.at}/explorer/`)
    await page.route('**/ask/tags*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue()
    })
    await query.fill('/api/tags')
    await query.press('Control+Enter')
    // Behind that stands for how long, from the first second on.
    expect(await status.textContent()).toMatch(/^Running…( \d+ s)?$/)
    expect(await page.getByRole('tree', { name: 'Response as a tree' }).count()).toBe(0)
    await ask('/api/cities')
    await says('8 of 8 entries')
    await page.waitForTimeout(900)
    expect(await written()).toBe('/api/cities')
    await says('8 of 8 entries')
    await ask('/api/nothing-here')
    await says('404 Not Found')
    await query.fill('')
    await query.press('Control+Enter')
    await status.filter({ hasText: 'The query is empty' }).waitFor()
    expect(await page.getByRole('tablist', { name: 'Response views' }).count()).toBe(0)
  })

  inBrowser('stands at an address of its own, to which Back and Forward lead', async (page) => {
    const { written, ask, says } = await openExplorer(
      page,
      `${site.at}/explorer/#as=editor/api/articles?status=draft&filters[title][$contains]=é`,
    )
    await says(/200 OK as editor/)
    expect(await written()).toBe('/api/articles?status=draft&filters[title][$contains]=é')
    await page.getByRole('combobox', { name: 'Role' }).selectOption('')
    await says('403 Forbidden')
    await ask('/api/tags')
    await page.goBack()
    await says('403 Forbidden')
    await page.goBack()
    await says(/200 OK as editor/)
    await page.goForward()
    await page.goForward()
    await says(/9 of 9 entries/)
    await page.reload()
    await says(/9 of 9 entries/)
    expect(await written()).toBe('/api/tags')
  })

  inBrowser('completes names, operators and values where the caret stands', async (page) => {
    const { query, written, says } = await openExplorer(page, `${site.at}/explorer/`)
    const offered = page.getByRole('listbox', { name: 'Completions' }).getByRole('option')
    const names = async (): Promise<string[]> =>
      (await offered.allTextContents()).map((one) => one.split(' ')[0] ?? '')
    await query.fill('')
    await query.pressSequentially('/api/arti')
    expect(await names()).toEqual(['articles'])
    await query.press('Enter')
    await query.pressSequentially('?filt')
    await query.press('Enter')
    await query.pressSequentially('kin')
    expect(await names()).toEqual(['kind'])
    await query.press('Enter')
    expect(await names()).toContain('$in')
    await query.pressSequentially('$eq')
    expect((await names()).slice(0, 2)).toEqual(['$eq', '$eqi'])
    await query.press('Enter')
    expect(await names()).toEqual(['essay', 'walk', 'interview', 'notebook'])
    await query.press('ArrowDown')
    await query.press('Enter')
    expect(await written()).toBe('/api/articles?filters[kind][$eq]=walk')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    await query.pressSequentially('&populate[sections][on][story.q')
    expect((await names()).every((one) => one.startsWith('story.'))).toBe(true)
    await query.press('Escape')
    expect(await offered.count()).toBe(0)
  })

  inBrowser('marks the wrong place, and puts the right name there', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    const wrong: readonly (readonly [asked: string, marked: string, meant: string, then: string])[] = [
      [
        'articles?populate[author][fields][0]=nme',
        'nme',
        'name',
        'articles?populate[author][fields][0]=name',
      ],
      ['articles?fields[0]=title&fields[1]=slgu', 'slgu', 'slug', 'articles?fields[0]=title&fields[1]=slug'],
      ['articles?filters[titel][$eq]=x', 'titel', 'title', 'articles?filters[title][$eq]=x'],
      [
        'articles?filters[title][$contian]=x',
        '$contian',
        '$contains',
        'articles?filters[title][$contains]=x',
      ],
      ['articles?populate=auhtor', 'auhtor', 'author', 'articles?populate=author'],
      ['articles?sort=titel:desc', 'titel', 'title', 'articles?sort=title:desc'],
      ['artciles?fields=title', 'artciles', 'articles', 'articles?fields=title'],
    ]
    for (const [asked, marked, meant, then] of wrong) {
      await ask(asked)
      await says(/^40[04]/)
      const refused = page.getByRole('group', { name: 'Request error' })
      expect([asked, await page.locator('.written mark').textContent()]).toEqual([asked, marked])
      await refused.getByText('Did you mean').getByRole('button', { name: meant, exact: true }).click()
      await says(/^200 OK/)
      expect(await written()).toBe(`/api/${then}`)
    }
  })

  inBrowser('is as quick with a query of many levels as with one of few', async (page) => {
    // With work that doubles at each level, the first of these would never be answered.
    const deep = `/api/categories?populate[parent]${'[populate][parent]'.repeat(23)}=true`
    const { query, written, says } = await openExplorer(page, `${site.at}/explorer/#${deep}`)
    expect(await written()).toBe(deep)
    await query.press('End')
    await query.pressSequentially('&fields=slug')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    await page.getByRole('tab', { name: 'typed client', exact: true }).click()
    const code = (await page.getByLabel('Code for typed client').textContent()) ?? ''
    expect(code.match(/parent: /g)).toHaveLength(24)
  })

  inBrowser('says of a query that is too long for the server that it is that', async (page) => {
    const { query, says } = await openExplorer(page, `${site.at}/explorer/`)
    const either = Array.from(
      { length: 1200 },
      (_, at) => `filters[$or][${String(at)}][title][$eq]=x${String(at)}`,
    )
    await query.fill(`/api/articles?${either.join('&')}`)
    await query.press('Control+Enter')
    await says('431')
    await page.getByText('too long for the server').waitFor()
  })

  inBrowser('says which role may read what this one may not', async (page) => {
    const { ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/letters')
    await says('403 Forbidden')
    const others = page.getByText('Roles with access')
    await others.waitFor()
    expect(await others.getByRole('button').allTextContents()).toEqual(['reader', 'editor'])
    await others.getByRole('button', { name: 'reader' }).click()
    await says('200 OK as reader')
  })

  inBrowser('builds by clicks what is then in step everywhere', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    await page.getByLabel('Content type').selectOption('articles')
    await says(/^200 OK/)
    const tree = page.getByRole('tree', { name: 'Attributes of articles' })
    const item = (name: RegExp) => tree.getByRole('treeitem', { name })
    await item(/^author relation/).click()
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?populate[0]=author')
    await item(/^author relation/).press('ArrowRight')
    await item(/^portrait media/)
      .first()
      .click()
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?populate[author][populate][0]=portrait')
    await page.getByRole('combobox', { name: 'Attribute' }).selectOption('publishedAt')
    await page.getByRole('combobox', { name: 'Operator' }).selectOption('$gt')
    await page.getByLabel('Value (UTC)').fill('2024-06-01T06:00:00')
    await page.getByRole('button', { name: 'Add filter' }).click()
    await says(/^200 OK/)
    expect(await written()).toContain('filters[publishedAt][$gt]=2024-06-01T06:00:00Z')
    await page.getByLabel('Add a sort key').selectOption('publishedAt')
    await says(/^200 OK/)
    await page.getByRole('button', { name: /asc: sorted by publishedAt/ }).click()
    await says(/^200 OK/)
    expect(await written()).toContain('sort=publishedAt:desc')
    const object = JSON.parse(await page.getByLabel('Object form').inputValue()) as { sort: string }
    expect(object.sort).toBe('publishedAt:desc')
    await page.getByLabel('Object form').fill('{ "fields": ["title"], "pagination": { "pageSize": 2 } }')
    expect(await written()).toBe('/api/articles?fields[0]=title&pagination[pageSize]=2')
    await page.getByText('The query has changed').waitFor()
    await ask('/api/articles?populate=*')
    expect(await item(/^category relation/).getAttribute('aria-checked')).toBe('true')
    await item(/^category relation/).click()
    await says(/^200 OK/)
    expect(await written()).not.toContain('category')
    expect(await written()).toContain('=author')
  })

  inBrowser('has a field for each value of a filter that takes several', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    const choose = async (attribute: string, operator: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Attribute' }).selectOption(attribute)
      await page.getByRole('combobox', { name: 'Operator' }).selectOption(operator)
    }
    const add = page.getByRole('button', { name: 'Add filter' })
    await ask('/api/articles')
    await choose('kind', '$in')
    await page.getByRole('combobox', { name: 'Value 1' }).selectOption('essay')
    await page.getByRole('combobox', { name: 'Value 2' }).selectOption('walk')
    await add.click()
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?filters[kind][$in][0]=essay&filters[kind][$in][1]=walk')
    await page.getByRole('button', { name: 'Remove the filter kind › $in' }).click()
    await choose('title', '$in')
    await page.getByLabel('Value 1').fill('Down, and the knees')
    await add.click()
    await says(/^200 OK 1 of 1 entry/)
    await choose('publishedAt', '$between')
    await page.getByLabel('From (UTC)').fill('2000-01-01T00:00:00')
    expect(await add.isDisabled()).toBe(true)
    await page.getByLabel('To (UTC)').fill('2099-01-01T00:00:00')
    await add.click()
    await says(/^200 OK 1 of 1 entry/)
    expect(await written()).toContain(
      'filters[publishedAt][$between][0]=2000-01-01T00:00:00Z&filters[publishedAt][$between][1]=2099-01-01T00:00:00Z',
    )
  })

  inBrowser('goes on to the button with Tab while something may come', async (page) => {
    const { query } = await openExplorer(page, `${site.at}/explorer/`)
    await query.fill('/api/articles?')
    await page.getByRole('listbox', { name: 'Completions' }).waitFor()
    await query.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Run')
  })

  inBrowser('finds documents by their titles for a filter', async (page) => {
    const { written, ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles')
    await page.getByRole('combobox', { name: 'Attribute' }).selectOption('author.documentId')
    await page.getByLabel('Find by title').fill('inês')
    const found = page.getByRole('combobox', { name: 'Value' }).locator('option', { hasText: 'Inês Tavares' })
    await found.waitFor({ state: 'attached' })
    const id = await found.getAttribute('value')
    await page.getByRole('combobox', { name: 'Value' }).selectOption({ label: 'Inês Tavares' })
    await page.getByRole('button', { name: 'Add filter' }).click()
    await says(/^200 OK/)
    expect(await written()).toBe(`/api/articles?filters[author][documentId][$eq]=${String(id)}`)
  })

  inBrowser('shows an answer as a tree with links to follow, a table, pictures and texts', async (page) => {
    const { written, ask, says, complaints } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?populate[0]=author&populate[1]=cover&pagination[pageSize]=3&sort=title')
    const answer = page.getByRole('tree', { name: 'Response as a tree' })
    await answer
      .getByRole('treeitem', { name: /^author / })
      .first()
      .click()
    await says(/^200 OK/)
    expect(await written()).toMatch(/^\/api\/authors\/[a-z0-9]{24}\?populate=\*$/)
    await page.goBack()
    await says(/3 of 10 entries/)
    await page.getByRole('tab', { name: 'Table' }).click()
    expect(await page.getByRole('table').getByRole('row').count()).toBe(4)
    await page.getByRole('tab', { name: 'Pictures' }).click()
    const widths = await page
      .getByRole('list', { name: 'Pictures in the response' })
      .getByRole('img')
      .evaluateAll(async (images) => {
        const all = images as unknown as { decode(): Promise<void>; naturalWidth: number }[]
        await Promise.all(all.map((image) => image.decode()))
        return all.map(({ naturalWidth }) => naturalWidth)
      })
    expect(widths.length).toBeGreaterThan(0)
    expect(Math.min(...widths)).toBeGreaterThan(0)
    await page.getByRole('tab', { name: 'Texts' }).click()
    await page.getByText('[0].body').click()
    await page.getByText('There is no kiosk.').waitFor()
    expect(complaints).toEqual([])
  })

  inBrowser('explains an answer with its statements, and asks again for the median', async (page) => {
    const { ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?populate[letters][populate][0]=subject&populate[author]=true')
    await page.getByLabel('Explain').check()
    await says(/^200 OK/)
    await page.getByRole('tab', { name: 'Explanation' }).click()
    const explained = page.getByRole('region', { name: 'Explanation' })
    await explained.getByText(/^\d+ statements?, \d+ rows, [\d.]+ ms in the database$/).waitFor()
    await explained.getByText('no role of the caller is allowed to find api::letter.letter').waitFor()
    await explained.getByText('SQL', { exact: true }).first().click()
    await explained
      .getByText(/^select /i)
      .first()
      .waitFor()
    await page.getByText(/^Server-Timing [\d.]+ ms:\s+authorize [\d.]+/).waitFor()
    await page.getByRole('button', { name: 'Benchmark ×20' }).click()
    await page
      .getByText(/^median [\d.]+ ms, from [\d.]+ ms to [\d.]+ ms, all read from the database$/)
      .waitFor()
  })

  inBrowser('keeps what it is told to keep, and nothing else', async (page) => {
    const { ask, says } = await openExplorer(page, `${site.at}/explorer/`)
    const stored = () =>
      page.evaluate<number>('localStorage.length + sessionStorage.length + document.cookie.length')
    await ask('/api/tags')
    expect(await stored()).toBe(0)
    await page.getByText('Saved and history').click()
    await page.getByLabel('Save as').fill('All tags')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect(await stored()).toBe(1)
    await ask('/api/cities')
    await page.reload()
    await says('8 of 8 entries')
    await page.getByText('Saved and history').click()
    await page.getByRole('button', { name: 'All tags', exact: true }).click()
    await says('9 of 9 entries')
    await page.getByRole('button', { name: 'Delete All tags' }).click()
    expect(await stored()).toBe(0)
  })

  inBrowser('shows code for programs that is answered as the query is', async (page) => {
    const { ask } = await openExplorer(page, `${site.at}/explorer/`)
    await ask("/api/articles?filters[title][$contains]=o's&fields[0]=title&pagination[pageSize]=2")
    const codeFor = async (language: string): Promise<string> => {
      await page.getByRole('tab', { name: language, exact: true }).click()
      return (await page.getByLabel(`Code for ${language}`).textContent()) ?? ''
    }
    expect(await codeFor('curl')).toBe(
      `curl -g '${site.at}/api/articles?filters[title][$contains]=o'\\''s&fields[0]=title&pagination[pageSize]=2'`,
    )
    expect(await codeFor('typed client')).toContain(
      `client.find('articles', {\n  filters: { title: { $contains: 'o\\'s' } },\n  fields: ['title'],\n  pagination: { pageSize: 2 },\n})`,
    )
    expect(await codeFor('@strapi/client')).toContain(`client.collection('articles').find({`)
    expect(await codeFor('in-process')).toContain(`api.as('public').find('articles', {`)
    expect(await page.getByText('This code reads with the role public').count()).toBe(1)
    expect(await codeFor('fetch')).toContain('await fetch(')
  })

  for (const width of [320, 1280, 1920])
    inBrowser(`has nothing that axe finds, light and dark, ${String(width)} pixels wide`, async (page) => {
      const { ask, violations } = await openExplorer(page, `${site.at}/explorer/`)
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await ask('/api/articles?populate=*&pagination[pageSize]=1')
        expect([colorScheme, await violations()]).toEqual([colorScheme, []])
        await ask('/api/articles?populate[authr]=true')
        expect([colorScheme, await violations()]).toEqual([colorScheme, []])
      }
    })

  inBrowser('has nothing that axe finds in any view of an answer', async (page) => {
    const { ask, violations } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?populate[0]=cover&populate[1]=letters&pagination[pageSize]=2&sort=title')
    await page.getByLabel('Explain').check()
    for (const tab of ['Table', 'Pictures', 'Texts', 'Explanation', 'JSON', 'Tree', 'curl']) {
      await page.getByRole('tab', { name: tab }).click()
      expect([tab, await violations()]).toEqual([tab, []])
    }
  })

  inBrowser('has nothing that axe finds while it is written, kept and refused', async (page) => {
    const { ask, query, violations } = await openExplorer(page, `${site.at}/explorer/`)
    await query.fill('')
    await query.pressSequentially('/api/articles?pop')
    expect(await violations()).toEqual([])
    await page.getByText('Saved and history').click()
    await ask('/api/letters')
    await page.getByText('Roles with access').waitFor()
    expect(await violations()).toEqual([])
  })

  inBrowser('marks the chosen tab alone, in colours that the browser forces as well', async (page) => {
    const { ask } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?populate=*')
    for (const forcedColors of ['none', 'active'] as const) {
      await page.emulateMedia({ forcedColors })
      const marked = await page.evaluate<string[]>(
        `[...document.querySelectorAll('.tabs [role=tab]')].filter((tab) => getComputedStyle(tab).borderBlockEndWidth !== '0px').map((tab) => tab.ariaSelected)`,
      )
      expect([forcedColors, marked]).toEqual([forcedColors, ['true', 'true']])
    }
  })

  inBrowser('says what it is that can be scrolled by keys', async (page) => {
    const { ask } = await openExplorer(page, `${site.at}/explorer/`)
    await page.getByLabel('Explain').check()
    await ask('/api/articles?populate=author')
    for (const tab of ['curl', 'JSON', 'Explanation', 'Table']) {
      await page.getByRole('tab', { name: tab }).click()
      const all = page.locator('pre, .wide')
      expect(await all.count()).toBeGreaterThan(0)
      expect(await page.locator(':is(pre, .wide):not([role][aria-label])').count()).toBe(0)
    }
  })

  inBrowser('is as wide as the window, from 320 pixels on, and with letters twice as large', async (page) => {
    const { ask } = await openExplorer(page, `${site.at}/explorer/`)
    await ask('/api/articles?populate=*')
    for (const [width, scale] of [
      [320, 1],
      [768, 1],
      [1280, 1],
      [1920, 1],
      [640, 2],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.evaluate(`document.documentElement.style.fontSize = '${String(15.2 * scale)}px'`)
      expect([
        width,
        await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
      ]).toEqual([width, 0])
    }
  })
})
