import {
  documented,
  type Documented,
  type OpenApi,
  type Operation,
  valueFor,
  written,
} from '../../support/documented'
import { type SampleSite, startSample } from '../../support/sample-site'

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Entry {
  readonly [name: string]: unknown
}

const entriesIn = (body: unknown): readonly Entry[] => [(body as { data: Entry | Entry[] }).data].flat()

describe('the document of the sample site', () => {
  let site: SampleSite
  const told = new Map<string, Documented>()
  const roles = ['public', 'reader', 'editor']

  async function ask(path: string, role: string): Promise<Answer> {
    const response = await fetch(`${site.at}/api${path}`, { headers: { 'X-Role': role } })
    return { status: response.status, body: await response.json() }
  }

  const toldTo = (role: string): Documented => {
    const known = told.get(role)
    if (known === undefined) throw new Error(`${role} was told nothing`)
    return known
  }

  beforeAll(async () => {
    site = await startSample()
    for (const role of roles) {
      const { status, body } = await ask('/openapi.json', role)
      expect(status).toBe(200)
      told.set(role, documented(body as OpenApi))
    }
  }, 240_000)
  afterAll(() => site.stop())

  /** Of an entry that is there, where the path is of one. */
  async function pathOf({ path }: Operation, role: string): Promise<string> {
    if (!path.includes('{')) return path
    const [, list = '', attribute] = /^(\/[^/]+)\/(?:by\/([^/]+)\/)?\{/.exec(path) ?? []
    const { body } = await ask(list, role)
    const name = attribute ?? 'documentId'
    const found = entriesIn(body).find((entry) => typeof entry[name] === 'string')
    if (found === undefined) throw new Error(`no entry for ${path}`)
    return path.replace(/\{\w+\}/, encodeURIComponent(String(found[name])))
  }

  it('is of the place where it is mounted, and kept for nobody else', async () => {
    const response = await fetch(`${site.at}/api/openapi.json`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const { openapi, servers } = (await response.json()) as OpenApi
    expect({ openapi, servers }).toEqual({ openapi: '3.1.0', servers: [{ url: '/api' }] })
  })

  it('tells of what a role may ask, and of nothing else', () => {
    const paths = (role: string): readonly string[] => toldTo(role).operations.map(({ path }) => path)
    expect(paths('public')).toEqual(
      expect.arrayContaining([
        '/articles',
        '/articles/{documentId}',
        '/articles/by/slug/{value}',
        '/homepage',
      ]),
    )
    expect(paths('public')).not.toContain('/letters')
    expect(paths('reader')).toContain('/letters')
    expect(paths('editor')).toContain('/letters')
    const text = JSON.stringify(toldTo('public').document)
    expect(text).not.toMatch(/letter|"status","in"|publicationFilter|draft|editorsNote|password/i)
    expect(JSON.stringify(toldTo('editor').document)).not.toMatch(/editorsNote|password/)
  })

  it('is right of queries that the host gave a name, and of refusals', async () => {
    const { operations, faultsOf } = toldTo('public')
    const list = operations.find(({ path }) => path === '/articles')
    if (list === undefined) throw new Error('no list of articles')
    expect(list.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['query', 'tag']))
    const asked = await ask('/articles?query=card&tag=rain', 'public')
    expect([asked.status, faultsOf(list, 200, asked.body)]).toEqual([200, null])
    const refused = await ask('/articles?filters[nope]=1', 'public')
    expect([refused.status, faultsOf(list, 400, refused.body)]).toEqual([400, null])
    expect(faultsOf(list, 200, { data: [{ id: 1, documentId: 'a', nope: 1 }], meta: {} })).not.toBeNull()
  })

  describe.each(roles)('for %s', (role) => {
    it('is right of every answer to each of its parameters', async () => {
      const wrong: unknown[] = []
      const { operations, faultsOf } = toldTo(role)
      for (const operation of operations) {
        const path = await pathOf(operation, role)
        const queries = operation.parameters
          .filter((parameter) => parameter.in === 'query' && !isNamed(parameter.name))
          .map(({ name, schema, example }) => `?${written(name, example ?? valueFor(schema))}`)
        for (const query of ['', ...queries]) {
          const { status, body } = await ask(path + query, role)
          const faults = faultsOf(operation, status, body)
          if (status !== 200 || faults !== null) wrong.push({ path, query, status, faults, body })
        }
      }
      expect(wrong.slice(0, 3)).toEqual([])
    }, 240_000)
  })

  /** What stands beside nothing of one's own. */
  const isNamed = (name: string): boolean => ['query', 'tag'].includes(name)
})
