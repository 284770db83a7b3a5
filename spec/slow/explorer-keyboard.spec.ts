import { inBrowser } from '../support/browser'
import { type ExploredPage, openExplorer } from '../support/explored-page'
import { type SampleSite, startSample } from '../support/sample-site'

/** Somebody who has no mouse. */
interface Keys {
  readonly press: (...keys: readonly string[]) => Promise<void>
  readonly type: (text: string) => Promise<void>
  /** Goes on with the tab key until something of that name has the focus; nobody walks farther than sixty stops. */
  readonly tabTo: (name: string) => Promise<void>
}

const furthest = 60

/** As a screen reader names it: by its label, or by its own words. */
const nameOfFocused = `(() => {
  const at = document.activeElement
  const label = at.labels && at.labels[0] && at.labels[0].querySelector('span')
  return at.getAttribute('aria-label') || (label || (at.labels && at.labels[0]) || at).textContent.trim()
})()`

function keysOf({ page }: ExploredPage): Keys {
  return {
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key)
    },
    type: (text) => page.keyboard.type(text),
    tabTo: async (name) => {
      const met: string[] = []
      for (let stop = 0; stop < furthest; stop++) {
        await page.keyboard.press('Tab')
        const here = await page.evaluate<string>(nameOfFocused)
        if (here.startsWith(name)) return
        met.push(here.slice(0, 20))
      }
      throw new Error(`${name} is further than ${String(furthest)} stops of the tab key: ${met.join(', ')}`)
    },
  }
}

type Task = (explored: ExploredPage, keys: Keys) => Promise<void>

const inTree = '[role=treeitem]:focus'

/** Things that people come to do, and where they are left then. */
const tasks: Readonly<Record<string, Task>> = {
  'goes to the query at once': async ({ page }, { press }) => {
    await press('Tab', 'Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('query')
  },

  'writes a query with what is offered': async ({ written, says }, { press, type }) => {
    await press('Tab', 'Enter', 'Control+a')
    await type('/api/wal')
    await press('Enter')
    await type('?popu')
    await press('Enter')
    await type('gui')
    await press('Enter')
    await press('Backspace', 'Control+Space')
    await type('=tr')
    await press('Enter', 'Control+Enter')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/walks?populate[guide]=true')
  },

  'asks for articles of a category with the portraits of their authors, newest first, only titles': async (
    { page, query, written, says, body },
    { tabTo, press, type },
  ) => {
    await tabTo('Content type')
    await press('Tab')
    // A letter goes to the next name that begins with it.
    await type('a')
    await press('ArrowRight')
    for (let step = 0; step < 40; step++) {
      if (/portrait/.test((await page.locator(inTree).textContent()) ?? '')) break
      await press('ArrowDown')
    }
    await press(' ')
    await says(/^200 OK/)
    expect(await written()).toContain('populate[author][populate][0]=portrait')
    await tabTo('Attribute')
    await type('category')
    for (let step = 0; step < 20; step++) {
      if ((await page.evaluate('document.activeElement.value')) === 'category.slug') break
      await press('ArrowDown')
    }
    await tabTo('Value')
    await type('streets')
    await press('Enter')
    await says(/^200 OK/)
    await tabTo('Add a sort key')
    await type('publishedAt')
    await press('Shift+Tab', 'Shift+Tab', 'Enter')
    await says(/^200 OK/)
    await page.keyboard.press('Home')
    await query.focus()
    await press('Control+End')
    await type('&fields[0]=title')
    await press('Control+Enter')
    await says(/^200 OK/)
    const asked = new URL(await written(), 'http://a.b').searchParams
    expect(asked.get('filters[category][slug][$eq]')).toBe('streets')
    expect([...asked.values()]).toContain('publishedAt:desc')
    const { data } = (await body()) as { data: { title: string; author: object }[] }
    expect(data.length).toBeGreaterThan(0)
    expect(Object.keys(data[0] ?? {}).sort()).toEqual(['author', 'documentId', 'id', 'title'])
    expect(data[0]?.author).toHaveProperty('portrait')
  },

  'keeps the place on the page where a button goes away': async ({ query, says, page }, { tabTo, press }) => {
    const where = (): Promise<string> => page.evaluate<string>(nameOfFocused)
    await query.fill('/api/articles?sort=title&filters[kind]=essay')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    await page.evaluate('document.activeElement.blur()')
    await tabTo('Remove the filter')
    await press('Enter')
    expect(await where()).toBe('Attribute')
    await tabTo('Remove the sort key')
    await press('Enter')
    expect(await where()).toBe('Add a sort key')
    await tabTo('Benchmark ×20')
    await press('Enter')
    expect(await where()).toBe('Benchmark ×20')
    await query.fill('/api/articles?fields=titel')
    await query.press('Control+Enter')
    await says(/^400/)
    await tabTo('title')
    await press('Enter')
    await says(/^200 OK/)
    expect(await page.evaluate('document.activeElement.id')).toBe('query')
  },

  'learns why a relation is missing': async ({ page, query, says }, { tabTo, press }) => {
    await query.fill('/api/articles?populate=letters')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    await tabTo('Explain')
    await press(' ')
    await says(/^200 OK/)
    await tabTo('Tree')
    await press('End', 'ArrowLeft')
    await page.getByText('no role of the caller is allowed to find api::letter.letter').waitFor()
  },

  'mends a slip by what was meant': async ({ query, written, says }, { tabTo, press }) => {
    await query.fill('/api/articles?populate=categry')
    await query.press('Control+Enter')
    await says('400 Bad Request')
    await tabTo('category')
    await press('Enter')
    await says(/^200 OK/)
    expect(await written()).toBe('/api/articles?populate=category')
  },

  'asks as another': async ({ says }, { tabTo, type }) => {
    await tabTo('Role')
    await type('editor')
    await says('200 OK as editor')
  },

  'follows a link in the answer, and comes back': async (
    { page, query, written, says },
    { tabTo, press },
  ) => {
    await query.fill('/api/articles?populate=author&pagination[pageSize]=1')
    await query.press('Control+Enter')
    await says(/^200 OK/)
    await tabTo('Tree')
    await press('Tab')
    for (let step = 0; step < 40; step++) {
      if (/^.?author/.test((await page.locator(inTree).textContent()) ?? '')) break
      await press('ArrowDown')
    }
    await press('Enter')
    await page.waitForURL(/authors/)
    await says(/^200 OK/)
    expect(await written()).toMatch(/^\/api\/authors\//)
    // Chromium without a window has no key for it.
    await page.goBack()
    await says(/^200 OK 1 of 10/)
  },

  'turns the page': async ({ written, says }, { tabTo, press, type }) => {
    await tabTo('Page')
    await type('2')
    await press('Tab')
    await says(/^200 OK/)
    expect(await written()).toContain('pagination[page]=2')
  },

  'keeps a query, and asks it again': async ({ query, says }, { tabTo, press, type }) => {
    await query.focus()
    await tabTo('Saved and history')
    await press('Enter')
    await tabTo('Save as')
    await type('mine')
    await press('Enter')
    await query.fill('/api/tags')
    await query.press('Control+Enter')
    await says('9 of 9 entries')
    await tabTo('mine')
    await press('Enter')
    await says(/of 10 entries/)
  },

  'measures what it costs': async ({ page }, { tabTo, press }) => {
    await tabTo('Benchmark ×20')
    await press('Enter')
    await page.getByText(/^median [\d.]+ ms/).waitFor()
  },
}

describe('with a keyboard alone, whoever opens the explorer', () => {
  let site: SampleSite
  beforeAll(async () => {
    site = await startSample()
  }, 120_000)
  afterAll(() => site.stop())

  for (const [name, task] of Object.entries(tasks)) {
    inBrowser(name, async (page) => {
      const explored = await openExplorer(page, `${site.at}/explorer/`)
      await task(explored, keysOf(explored))
      expect(explored.complaints).toEqual([])
    })
  }
})
