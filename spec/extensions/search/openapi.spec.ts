import { openapi } from '../../../extensions/openapi'
import { namedQueries } from '../../../extensions/queries'
import { search } from '../../../extensions/search'
import { type Grant, migrate } from '../../../lib'
import { onSqlite } from '../../support/databases'
import {
  documented,
  type Documented,
  type OpenApi,
  type Operation,
  type Part,
} from '../../support/documented'
import { type Served, stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: '*' },
  titles: { find: { article: { fields: ['title'] } } },
  lists: { find: { article: { fields: ['title'] } }, findOne: ['article'] },
  authors: { find: ['author'] },
  entries: { findOne: ['article'] },
  named: { find: '*', queries: 'named' },
  editor: { find: '*', drafts: '*' },
}

onSqlite((database) => {
  const { serve, world } = stocked(database, textTypes, textContent)
  const others = [openapi(), namedQueries({ all: { type: 'article', query: {} } })]
  const extensions = [...others, search({ article: { title: 3, body: 1 }, author: { name: 2 } })]

  beforeAll(async () => {
    await migrate({ contentTypes: textTypes, database: world.config, logger: false, extensions })
  })

  let common: Served | undefined
  const api = (): Served => (common ??= serve({ permissions, extensions }))
  const documentFor = async (role: string): Promise<Documented> =>
    documented((await api().get('openapi.json', role)).body as OpenApi)

  const operationAt = ({ operations }: Documented, path: string): Operation | undefined =>
    operations.find((one) => one.path === path)

  /** The values of a parameter that is a list of names; null without the parameter. */
  function namesFor(document: Documented, path: string, name: string): unknown {
    const found = operationAt(document, path)?.parameters.find((one) => one.name === name)
    const items = found?.schema['items'] as Part | undefined
    return items === undefined ? null : (items['enum'] ?? (items['anyOf'] as readonly Part[])[0]?.['enum'])
  }

  it.each([
    ['public', ['title', 'body'], ['article', 'author']],
    ['titles', ['title'], ['article']],
    ['lists', ['title'], ['article']],
    ['authors', null, ['author']],
    ['entries', null, null],
    ['named', null, null],
  ])('names the attributes and types that the role %s can search', async (role, attributes, types) => {
    const document = await documentFor(role)
    expect(namesFor(document, '/articles', 'highlight')).toEqual(attributes)
    expect(namesFor(document, '/search', 'types')).toEqual(types)
    const sorts = namesFor(document, '/articles', 'sort')
    expect(Array.isArray(sorts) && sorts.includes('_rank')).toBe(attributes !== null)
  })

  it('names no attributes and types without the extension', async () => {
    const plain = serve({ permissions, extensions: others })
    const { text } = await plain.get('openapi.json', 'public')
    expect(text).toContain('"/articles"')
    expect(text).not.toMatch(/"(highlight|ranks|_rank|\/search)"/)
  })

  it('offers drafts of /search only to a role that can read drafts', async () => {
    const namesOf = async (role: string): Promise<readonly string[]> =>
      operationAt(await documentFor(role), '/search')?.parameters.map(({ name }) => name) ?? []
    expect(await namesOf('editor')).toContain('status')
    expect(await namesOf('public')).not.toContain('status')
  })

  it.each([
    'articles?_q=rust&highlight=title&highlight=body&ranks=true&sort=_rank',
    'articles?_q=rust',
    'articles',
    'authors?_q=ada&highlight=name',
    'search?q=rust&types=article,author&pagination[pageSize]=1&locale=en',
    'search?q=zebra',
  ])('has the schema of the response to %s', async (path) => {
    const document = await documentFor('public')
    const operation = operationAt(document, `/${path.split('?')[0] ?? ''}`)
    if (operation === undefined) throw new Error('the document lacks the path')
    const response = await api().get(path, 'public')
    expect(response.status).toBe(200)
    expect(document.faultsOf(operation, 200, response.body)).toBeNull()
    const { meta } = response.body as { readonly meta: object }
    const wrong = { ...(response.body as object), meta: { ...meta, search: { ignored: 'rust' } } }
    expect(document.faultsOf(operation, 200, wrong)).not.toBeNull()
  })
})
