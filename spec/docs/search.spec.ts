import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { search } from '../../extensions/search'
import { type ContentRouterConfig, migrate } from '../../lib'
import { describeOn, testDatabase, type TestDatabase } from '../support/databases'
import { examplesIn, isShownAs, requestOf, rowsIn } from '../support/doc-examples'
import { collection, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'how-to', 'search.md'), 'utf8')

const localized = { pluginOptions: { i18n: { localized: true } } }

const types = [
  {
    ...collection('article', {
      title: { ...text, ...localized },
      body: { type: 'text', ...localized },
      author: relation('manyToOne', 'author'),
    }),
    ...localized,
  },
  collection('author', { name: text }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  $locales: ['en', 'de'],
  author: [
    { $ref: 'ada', documentId: 'b1', name: 'Ada' },
    { $ref: 'bo', documentId: 'b2', name: 'Rusty' },
  ],
  article: [
    { documentId: 'a1', title: 'Rust', body: 'A language for fast programs.', author: 'ada' },
    { documentId: 'a2', title: 'Rusty nails', body: 'They lie beside a barn.', author: 'ada' },
    {
      documentId: 'a3',
      title: 'Iron and oxygen',
      body: 'Together they form rust, an iron oxide.',
      author: 'bo',
    },
    { documentId: 'a4', title: 'Systems language', body: 'Programs in Rust run fast.', author: 'bo' },
    { documentId: 'a5', title: 'Crème brûlée', body: 'A dessert with a crust of sugar.' },
    {
      ...{ documentId: 'a6', title: 'The house of cards', body: 'It falls.' },
      $locales: { de: { title: 'Die Häuser am Fluss', body: 'Am Wasser.' } },
    },
  ],
}

const heading = '## Find other forms of a word'
const [before = '', after = ''] = page.split(heading)
const [ofLanguages = '', behind = ''] = after.split(/\n(?=## )(.*)/s)
const [ofLinks = '', further = ''] = behind.split(/\n(?=## Search several types)(.*)/s)

/** The arguments of each call of `search` in the blocks of code. */
function extensionsIn(part: string): readonly ReturnType<typeof search>[] {
  const called: ReturnType<typeof search>[] = []
  const recording = (...given: Parameters<typeof search>): unknown => called.push(search(...given))
  const blocks = [...part.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) =>
    code.replaceAll(/^(import|await) .*$/gm, ''),
  )
  const globals = { search: recording, contentRouter: () => null, process: { env: {} } }
  for (const block of blocks) runInNewContext(block, { ...globals })
  return called
}

function serving(database: TestDatabase, part: string): () => Served {
  const extensions = extensionsIn(part)
  const { serve, world } = stocked(database, types, content)
  let served: Served | undefined
  beforeAll(async () => {
    await migrate({ contentTypes: types, database: world.config, logger: false, extensions })
  })
  return () => (served ??= serve({ extensions, permissions: { public: { find: ['article', 'author'] } } }))
}

const titlesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, title = '']) => title)

const rows = (part: string): { path: string; titles: readonly string[] }[] =>
  rowsIn(part).map((row) => ({ path: requestOf(row), titles: titlesIn(row['titles'] ?? '') }))

describe('docs/how-to/search.md', () => {
  const api = serving(testDatabase('sqlite'), before)
  const examples = examplesIn(before + further).map(({ request: { path }, answer }) => ({ path, answer }))

  it('has a response for each request', () => {
    expect(page.match(/```http\n/g)).toHaveLength(examples.length)
    expect(extensionsIn(before)).toHaveLength(1)
  })

  it.each(examples)('shows the response: $path', async ({ path, answer }) => {
    const { text: body } = await api().get(path.replace('/api/', ''), 'public')
    const came: unknown = JSON.parse(body)
    expect(isShownAs(answer, came) ? answer : came).toEqual(answer)
  })

  it.each(rows(before))('shows the titles: $path', async ({ path, titles }) => {
    expect(await api().values(path, 'title')).toEqual(titles)
  })
})

describe('linked entries in docs/how-to/search.md', () => {
  const api = serving(testDatabase('sqlite'), ofLinks)

  it.each(rows(ofLinks))('shows the titles: $path', async ({ path, titles }) => {
    expect(titles).not.toEqual([])
    expect(await api().values(path, 'title')).toEqual(titles)
  })
})

describeOn(['postgres'])('languages in docs/how-to/search.md, on %s', (name) => {
  const api = serving(testDatabase(name), ofLanguages)

  it.each(rows(ofLanguages))('shows the titles: $path', async ({ path, titles }) => {
    expect((await api().list(path)).map((entry: Entry) => entry['title'])).toEqual(titles)
  })
})
