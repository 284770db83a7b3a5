import { transformSync } from '@swc/core'
import express from 'express'
import { readFileSync } from 'node:fs'
import jwt from 'jsonwebtoken'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import request from 'supertest'
import * as library from '../../lib'
import type { ContentRouterConfig, PermissionTable } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import * as client from '../../extensions/client'
import { roleTable } from '../../tools/command/role-table'
import { faultsOfExplorer } from '../../extensions/explorer/explorer-options'
import * as errors from '../../lib/errors'
import { compareOperators, hasMeaning, operatorNames, operators } from '../../lib/operators'
import { publicationFilters } from '../../lib/query'
import { readSchema } from '../../lib/schema'
import { testDatabase } from '../support/databases'
import type { Option } from '../../lib/config/option'
import { examplesIn, isShownAs, requestOf, rowsIn, withoutTicks } from '../support/doc-examples'
import { describedOptions, literalsIn, namedOptions, writtenDefault } from '../support/option-rows'
import { orderContent, orderTypes } from '../support/orders'
import { serveSample } from '../support/sample-site'
import { roleHeader, stocked } from '../support/served'

const root = join(__dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Their requests are those of the sample. */
const queryPages = [
  ...['filter', 'filter-by-related-entries', 'sort', 'paginate', 'populate', 'locales'].map(
    (name) => `how-to/${name}`,
  ),
  ...['how-to/drafts-and-preview', 'how-to/openapi'],
  ...['query-parameters', 'operators', 'responses'].map((name) => `reference/${name}`),
]

describe('the pages about the sample', () => {
  const site = serveSample()

  describe('the pages about queries', () => {
    const pages = queryPages.map((name) => ({ name, text: read(`docs/${name}.md`) }))
    const examples = pages.flatMap(({ name, text }) => examplesIn(text).map((one) => ({ ...one, name })))
    const rows = pages.flatMap(({ text }) => rowsIn(text))

    interface Body {
      readonly data: readonly { readonly name?: string; readonly title?: string }[]
      readonly error?: { readonly status: number }
    }

    /** As the editor, who may read everything. */
    async function bodyOf(query: string): Promise<Body> {
      const response = await fetch(`${site.at}/api/${query}`, { headers: { 'X-Role': 'editor' } })
      if (response.status !== 200) throw new Error(`${query}: ${await response.text()}`)
      return (await response.json()) as Body
    }

    it.each(
      examples.map(
        ({ name, request, answer }) =>
          [`${name}: ${request.method} ${request.path}`, request, answer] as const,
      ),
    )('show the response: %s', async (_name, { method, path, headers }, shown) => {
      const response = await fetch(site.at + path, { method, headers })
      const came: unknown = await response.json()
      expect(response.status).toBe((shown as Body).error?.status ?? 200)
      expect(isShownAs(shown, came) ? shown : came).toEqual(shown)
    })

    it.each(rows.filter((row) => 'result' in row).map((row) => [requestOf(row), row['result']]))(
      'show the results: %s',
      async (query, finds) => {
        const { data } = await bodyOf(query)
        expect(data.map(({ name, title }) => name ?? title).join(', ') || 'nothing').toBe(finds)
      },
    )

    it.each(
      rows
        .filter((row) => 'is the same as' in row)
        .map((row) => [requestOf(row), withoutTicks(row['is the same as'] ?? '')]),
    )('show two queries with the same results: %s', async (query, other) => {
      expect(await bodyOf(query)).toEqual(await bodyOf(other))
      expect(query).not.toBe(other)
    })

    const others = rows.filter((row) => !('result' in row) && !('is the same as' in row))
    it.each(others.map((row) => [requestOf(row)]))('have a valid request: %s', async (query) => {
      await expect(bodyOf(query)).resolves.toBeDefined()
    })

    it('show each operator, each publication filter and each parameter', () => {
      const asked = [...examples.map(({ request }) => request.path), ...rows.map(requestOf)]
      const names = operatorNames.map((operator) => `[${operator}]`)
      const parameters = [
        'fields',
        'filters',
        '_q',
        'sort',
        'populate',
        'query',
        'locale',
        'fallback',
        'status',
        'hasPublishedVersion',
      ]
      const pages = ['page', 'pageSize', 'start', 'limit', 'withCount', 'after', 'before'].map(
        (name) => `pagination[${name}]`,
      )
      const words = [...names, ...publicationFilters, ...parameters, ...pages, '[on]', '[count]']
      expect(words.filter((word) => !asked.some((path) => path.includes(word)))).toEqual([])
    })

    it('have a response for each request, and a request for each response', () => {
      const counts = pages.map(({ name, text }) => ({
        name,
        requests: text.match(/```http\n/g)?.length ?? 0,
        responses: text.match(/```json\n/g)?.length ?? 0,
      }))
      const found = pages.map(({ name, text }) => ({ name, count: examplesIn(text).length }))
      expect(counts).toEqual(found.map(({ name, count }) => ({ name, requests: count, responses: count })))
    })

    it('contain the first link of the README', () => {
      const [, linked] = /\]\(([^)]*)\)/.exec(read('README.md')) ?? []
      expect(queryPages.map((name) => `docs/${name}.md`)).toContain(linked)
    })
  })

  describe('docs/how-to/paginate.md', () => {
    const paged = examplesIn(read('docs/how-to/paginate.md'), 'nestedPagination')

    it('has examples of pages in populated relations', () => {
      expect(paged.length).toBeGreaterThan(1)
    })

    it.each(paged.map((example) => [example.request.path, example] as const))(
      'shows the response with nestedPagination: %s',
      async (path, { answer }) => {
        const content = library.contentRouter({
          contentTypes: join(root, 'content-types'),
          database: site.database,
          permissions: { public: { find: '*' } },
          nestedPagination: true,
        })
        const { body } = (await request(express().use('/api', content)).get(path)) as { body: unknown }
        await content.close()
        expect(isShownAs(answer, body) ? answer : body).toEqual(answer)
      },
    )
  })

  describe('docs/reference/responses.md', () => {
    const page = read('docs/reference/responses.md')

    it('has a row for each error, and no other', () => {
      const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)]
      const sent: Readonly<Record<errors.RequestError['status'], readonly errors.RequestError[]>> = {
        400: [errors.malformed([], ''), errors.mispaged([], ''), errors.undecodable()],
        401: [errors.unauthorized()],
        403: [errors.forbidden()],
        404: [errors.notFound()],
        405: [errors.methodNotAllowed()],
        500: [errors.failed('')],
        503: [errors.unavailable()],
      }
      const inCode = Object.values(sent)
        .flat()
        .map(({ status, name }) => [String(status), name])
      expect(rows.map(([, status, name]) => [status, name])).toEqual(inCode)
    })

    it('names each header of the responses that it shows', async () => {
      const [, table = ''] = page.split('## Headers of the response')
      const ofNode = ['connection', 'date', 'keep-alive']
      const names = await Promise.all(
        examplesIn(page).map(async ({ request: { method, path, headers } }) => [
          ...(await fetch(site.at + path, { method, headers })).headers.keys(),
        ]),
      )
      const sent = [...new Set(names.flat())].filter((name) => !ofNode.includes(name))
      expect(sent.filter((name) => !table.toLowerCase().includes(`\`${name}\``))).toEqual([])
      expect(sent.length).toBeGreaterThan(4)
    })
  })

  describe('the sample', () => {
    interface Example {
      readonly title: string
      readonly query: string
      readonly role?: string
      readonly shows?: string
    }

    interface ToldPage {
      readonly examples: readonly { readonly queries: readonly Example[] }[]
    }

    /** True if one of the entries has a value at the path. */
    function hasValue(value: unknown, path: readonly string[]): boolean {
      if (Array.isArray(value)) return value.some((element) => hasValue(element, path))
      const [name, ...rest] = path
      if (name === undefined) return value !== null && value !== undefined && value !== ''
      return (
        typeof value === 'object' &&
        value !== null &&
        hasValue((value as Record<string, unknown>)[name], rest)
      )
    }

    const get = (path: string, role = 'public'): Promise<Response> =>
      fetch(site.at + path, { headers: { 'X-Role': role } })

    it('offers queries whose responses show what it promises', async () => {
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

    it('hides letters and drafts from the public', async () => {
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
        new Set(
          answers.map(({ status, headers }) => `${String(status)} ${headers.get('content-type') ?? ''}`),
        ),
      ).toEqual(new Set(['200 image/svg+xml; charset=utf-8']))
      expect((await get('/uploads/nothing-here')).status).toBe(404)
    })
  })

  describe('docs/how-to/named-queries.md', () => {
    const examples = examplesIn(read('docs/how-to/named-queries.md'))

    it.each(examples.map((example) => [example.request.path, example] as const))(
      'shows the response: %s',
      async (_name, { request: { path }, answer }) => {
        const came: unknown = await (await fetch(site.at + path)).json()
        expect(isShownAs(answer, came) ? answer : came).toEqual(answer)
      },
    )
  })

  // spec/extensions/client/types.spec.ts compiles them.
  describe('the TypeScript of docs/reference', () => {
    const page = ['typescript-api', 'client', 'javascript-api']
      .map((name) => read(`docs/reference/${name}.md`))
      .join('\n')
    const examples = [...page.matchAll(/^```ts\n(.*?)^```\n\n```text\n(.*?)^```/gms)].map(
      ([, code = '', printed = '']) => ({ code, printed }),
    )

    const AsyncFunction = (async () => Promise.resolve()).constructor as new (
      ...parts: readonly string[]
    ) => (...values: readonly unknown[]) => Promise<void>

    /** Runs the example in a function, as a CommonJS module has no await at its top. */
    async function print(code: string): Promise<string> {
      const lines: string[] = []
      const routers: library.ContentRouter[] = []
      const console = { log: (...words: unknown[]) => lines.push(words.join(' ')) }
      const contentRouter = (config: ContentRouterConfig): library.ContentRouter => {
        const router = library.contentRouter(config)
        routers.push(router)
        return router
      }
      const modules = new Map<string, unknown>([
        ['express-content-router', { ...library, contentRouter }],
        ['express-content-router/client', client],
      ])
      const { code: compiled } = transformSync(code, {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
        module: { type: 'commonjs' },
      })
      const run = new AsyncFunction('require', 'exports', 'console', compiled)
      await run((name: string) => modules.get(name), {}, console)
      await Promise.all(routers.map((router) => router.close()))
      return `${lines.join('\n')}\n`
    }

    const atHome = (code: string): string =>
      code
        .replaceAll('http://localhost:3737', site.at)
        .replaceAll('./content-types', join(root, 'content-types'))
        .replaceAll('sample.db', (site.database.connection as { readonly filename: string }).filename)

    it('has examples with their output', () => {
      expect(examples.length).toBe(page.match(/^```ts$/gm)?.length)
      expect(examples.length).toBeGreaterThan(3)
    })

    it.each(examples)('has an example that prints $printed', async ({ code, printed }) => {
      expect(await print(atHome(code))).toBe(printed)
    })
  })
})

describe('the pages about permissions', () => {
  const details = read('docs/reference/rules.md')
  const pages = [
    'how-to/row-rules',
    'how-to/field-rules',
    'how-to/jwt-roles',
    'how-to/multi-tenant',
    'reference/rules',
  ].map((name) => ({ name: `docs/${name}.md`, page: read(`docs/${name}.md`) }))
  const secret = 'a secret of the example'

  function configOnPage(page: string): Partial<ContentRouterConfig> {
    const [, code = ''] = /```js\n(.*?contentRouter\(.*?)```/s.exec(page) ?? []
    const taken: Partial<ContentRouterConfig>[] = []
    const contentRouter = (config: Partial<ContentRouterConfig>): unknown => taken.push(config)
    const process = { env: { JWT_SECRET: secret } }
    const given = { contentRouter, contentTypes: orderTypes, database: null, jwt, process }
    runInNewContext(code.replaceAll(/^import .*$/gm, ''), given)
    const [{ role, permissions } = {}] = taken
    if (role === undefined || permissions === undefined) throw new Error('the page has no permissions')
    return { role, permissions }
  }

  interface Named {
    readonly $ref: string
  }

  const withIds = ([type, entries]: readonly [string, unknown]): readonly [string, unknown] => [
    type,
    type.startsWith('$')
      ? entries
      : (entries as readonly Named[]).map((entry) => ({ ...entry, documentId: entry.$ref })),
  ]
  const named = Object.fromEntries(Object.entries(orderContent).map(withIds)) as SeedContent
  const { serve } = stocked(testDatabase('sqlite'), orderTypes, named)

  it('show the output of the command', () => {
    const [, shown = ''] = /```text\n(The role [^`]*)\n```/.exec(details) ?? []
    const { permissions } = configOnPage(details)
    expect(shown).toBe(
      roleTable(readSchema(orderTypes), {
        table: permissions as PermissionTable,
        role: 'member',
        drafts: 'granted',
      }),
    )
  })

  it.each(pages)('have a request with a response: $name', ({ page }) => {
    expect(examplesIn(page).length).toBeGreaterThan(1)
    expect(page.match(/```http\n/g)).toHaveLength(examplesIn(page).length)
  })

  /** The token that the page about tokens describes. */
  function tokenOnPage(page: string): string {
    const [, claims = '{}'] = /with the claims `([^`]*)`/.exec(page) ?? []
    return jwt.sign(JSON.parse(claims) as object, secret)
  }

  it.each(
    pages.flatMap(({ name, page }) =>
      examplesIn(page).map((example) => [`${name} ${example.request.path}`, page, example] as const),
    ),
  )('show the response: %s', async (_, page, { request: { path, headers }, answer }) => {
    const { app } = serve(configOnPage(page))
    const sent = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('$TOKEN', tokenOnPage(page)),
    ])
    const answered = await request(app)
      .get(path)
      .set({ [roleHeader]: 'none', ...(Object.fromEntries(sent) as object) })
    expect(answered.body).toEqual(answer)
  })
})

describe('docs/reference/options.md', () => {
  /** A default may be no value that can be written: the role of all is a function. */
  const isTaken = ({ default: byDefault, fits }: Option<unknown>, value: unknown): boolean =>
    fits(value) || (typeof byDefault === 'function' && (byDefault as () => unknown)() === value)

  const described = describedOptions()
  const options = namedOptions()

  it('describes each option, and no other', () => {
    expect([...described.keys()].toSorted()).toEqual(options.map(([name]) => name).toSorted())
    const parts = [...described.values()].map(({ type, byDefault, example, text }) => [
      type,
      byDefault,
      example,
      text,
    ])
    expect(parts.filter((each) => each.includes(''))).toEqual([])
  })

  it('has eight groups', () => {
    const groups = read('docs/reference/options.md').match(/^## .*$/gm) ?? []
    expect(groups).toHaveLength(8)
  })

  it.each(options.flatMap(([name, option]) => (option === null ? [] : [{ name, option }])))(
    'has the default of $name, only values that it takes, and whether it may be set for a role',
    ({ name, option }) => {
      const { type = '', byDefault = '', isPerRole } = described.get(name) ?? {}
      expect(byDefault.startsWith(writtenDefault(option) ?? '')).toBe(true)
      expect(
        [...literalsIn(type), ...literalsIn(byDefault)].filter((value) => !isTaken(option, value)),
      ).toEqual([])
      expect(isPerRole).toBe(option.isPerRole)
    },
  )

  it.each(options.map(([name, option]) => ({ name, option })))(
    'has an example of $name that the router accepts',
    ({ name, option }) => {
      const { example = '' } = described.get(name) ?? {}
      const given = { process: { env: {} }, openapi: () => null, pino: () => null }
      const value = runInNewContext(`({ ${example} }).${name}`, given) as unknown
      expect(value).toBeDefined()
      if (option !== null) expect([example, option.fits(value)]).toEqual([example, true])
    },
  )
})

describe('docs/reference/operators.md', () => {
  const page = read('docs/reference/operators.md')

  it('gives the meaning of each operator as the table of operators has it', () => {
    const told = new Map(rowsIn(page).map((row) => [withoutTicks(row['operator'] ?? ''), row['meaning']]))
    const onEveryDatabase = compareOperators.filter((name) => operators[name].types.exact.length > 0)
    expect(onEveryDatabase.map((name) => [name, told.get(name)])).toEqual(
      onEveryDatabase.map((name) => [name, operators[name].meaning]),
    )
  })

  it('lists the operators of each type', () => {
    const namesIn = (cell: string): string[] => [...cell.matchAll(/`([\w$]+)`/g)].map(([, name = '']) => name)
    const section = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
    const byType = section('Operators by type')
    const [, substrings = ''] = /operators for substrings are (.*?)\. /s.exec(byType) ?? []
    const all = compareOperators.filter((name) => operators[name].types.exact.length > 0)
    const listed = (cell: string): readonly string[] => {
      if (cell === 'all') return all
      if (cell !== 'all but those for substrings') return namesIn(cell)
      return all.filter((name) => !namesIn(substrings).includes(name))
    }
    const rows = [...byType.matchAll(/^\| (`.*?) +\| .*? \| (\S.*?) +\|$/gm)]
    const found = rows.flatMap(([, types = '', cell = '']) =>
      namesIn(types).map((type) => [type, listed(cell)] as const),
    )
    const inCode = operators.$null.types.database.map(
      (type) => [type, all.filter((name) => hasMeaning(name, type, 'exact'))] as const,
    )
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(inCode))
  })
})

describe('docs/reference/explorer.md', () => {
  it('names every option, and no other', () => {
    const named = [...read('docs/reference/explorer.md').matchAll(/^\| `(\w+)` /gm)].map(
      ([, option = '']) => option,
    )
    const wrong = Object.fromEntries(named.map((option) => [option, 7])) as object
    const refused = faultsOfExplorer(wrong).map(({ where }) => where)
    expect(refused.sort()).toEqual(named.map((name) => `contentExplorer.${name}`).sort())
    expect(named.length).toBeGreaterThan(4)
  })
})

describe('a shortened response', () => {
  it.each([
    [['…'], [1, 2], true],
    [['…'], [], false],
    [[1, '…'], [1, 2, 3], true],
    [[1, '…'], [1], false],
    [[1, '…', 4], [1, 2, 4], true],
    [[1, '…', 4], [1, 2, 3], false],
    [[1, '…', 4], [1, 4], false],
    [[1, '…', 4, '…'], [1, 2, 3, 4, 5], true],
    [[1, '…', 4, '…'], [1, 2, 4], false],
    [[1, 2], [1, 2, 3], false],
    [{ a: 1, '…': '…' }, { a: 1, b: 2 }, true],
    [{ a: 1, '…': '…' }, { a: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: '…' }, { a: { b: 2 } }, true],
    [{ a: '…' }, {}, false],
    [{ a: null }, { a: undefined }, false],
    ['1', 1, false],
  ])('%j stands for %j: %s', (shown, came, is) => {
    expect(isShownAs(shown, came)).toBe(is)
  })
})
