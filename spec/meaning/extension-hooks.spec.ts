import request from 'supertest'
import type { ContentRouterConfig, Extension, PermissionsSource, RoleSource } from '../../lib'
import { RequestError } from '../../lib/errors'
import { positionOf } from '../../lib/sql'
import type { Uid } from '../../lib/schema'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, integer, relation, text } from '../support/library'
import { type Served, stocked } from '../support/served'

const types = [
  collection('page', {
    title: text,
    rank: integer,
    author: relation('manyToOne', 'author'),
  }),
  collection('author', { name: text }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  author: [{ $ref: 'ann', name: 'Ann' }],
  page: [
    { title: 'one', rank: 1, author: 'ann' },
    { title: 'two', rank: 2 },
    { title: 'three', rank: 3 },
  ],
}

const same = (error: RequestError): RequestError => error

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const titlesOf = ({ values }: Served, query: string, role?: string): Promise<unknown[]> =>
    values(`pages?sort=rank&${query}`, 'title', role)

  describe('the hook rewriteQuery', () => {
    const byHeader: Extension = {
      name: 'filter by header',
      rewriteQuery: {
        fromRequest: ({ headers }) => {
          const rank = headers['x-rank']
          return Promise.resolve(typeof rank === 'string' ? { filters: { rank } } : null)
        },
      },
    }

    it('replaces the query of a URL by one of the request', async () => {
      const served = serve({ extensions: [byHeader], cache: {} })
      expect(await titlesOf(served, 'filters[rank][$gt]=2')).toEqual(['three'])
      for (const [rank, title] of [
        ['1', 'one'],
        ['2', 'two'],
      ] as const) {
        const answer = await request(served.app).get('/api/pages').set('x-rank', rank)
        expect(answer.body).toMatchObject({ data: [{ title }] })
      }
    })

    /** A short spelling of two filters, and a filter beneath all queries. */
    const short: Extension = {
      name: 'short',
      rewriteQuery: {
        makeRewriter: () => (raw, model) => {
          if (model.singularName !== 'page') return null
          const base = { path: ['short'], raw: { filters: { rank: { $lt: '3' } } } }
          const below = raw['below']
          if (typeof below !== 'string') return { base, errorFor: same }
          const filters = { rank: { $lt: below } }
          const errorFor = (): RequestError => new RequestError(400, 'Invalid below')
          return { raw: { sort: 'rank', filters }, base, errorFor }
        },
      },
    }

    it('rewrites the parsed query once for equal queries', async () => {
      const served = serve({ extensions: [short] })
      expect(await titlesOf(served, '')).toEqual(['one', 'two'])
      expect(await titlesOf(served, 'below=2')).toEqual(['one'])
      expect(await titlesOf(served, 'below=3')).toEqual(['one', 'two'])
      expect(await titlesOf(served, 'filters[rank][$gte]=2')).toEqual(['two'])
      expect(await served.values('authors', 'name')).toEqual(['Ann'])
    })

    it('says which error the client gets for what it did not write', async () => {
      const answer = await serve({ extensions: [short] }).get('pages?below=x')
      expect(answer.body).toMatchObject({ error: { status: 400, message: 'Invalid below', details: {} } })
    })

    it('lifts the limit to queries of the host only if it says that the host wrote the query', async () => {
      const permissions = { public: { find: '*', queries: 'named' } } as const
      const ofHost: Extension = {
        name: 'of host',
        rewriteQuery: {
          makeRewriter: () => (raw) =>
            raw['all'] === undefined ? null : { raw: {}, isOfHost: true, errorFor: same },
        },
      }
      expect((await serve({ permissions, extensions: [short] }).refusal('pages?below=2')).path).toBe('query')
      const served = serve({ permissions, extensions: [ofHost] })
      expect((await served.refusal('pages')).path).toBe('query')
      expect(await served.values('pages?all', 'title')).toHaveLength(3)
    })

    it.each<[string, Extension['rewriteQuery']]>([
      ['a request', { fromRequest: () => Promise.reject(new TypeError('own words')) }],
      [
        'a parsed query',
        {
          makeRewriter: () => () => {
            throw new TypeError('own words')
          },
        },
      ],
    ])('is a 500 with an id, and one log line, if it throws for %s', async (_what, rewriteQuery) => {
      const { errors, logger } = keeping()
      const extensions = [{ name: 'wrong', ...(rewriteQuery && { rewriteQuery }) }]
      const { status, text: body } = await serve({ logger, extensions }).get('pages')
      expect(status).toBe(500)
      expect(body).not.toContain('own words')
      expect(errors).toHaveLength(1)
      expect(errors[0]?.facts).toMatchObject({ problem: expect.stringContaining('TypeError') as string })
    })
  })

  describe('the hook afterRead', () => {
    /** Writes titles in capitals, but only where a plan has them. */
    const loud: Extension = {
      name: 'loud',
      afterRead: ({ root: { level, positions } }) => {
        const title = level.columns.find(({ name }) => name === 'title')
        if (title === undefined) return null
        const at = positionOf(positions, title.column)
        return ({ rows }) => {
          for (const row of rows.rows as readonly (unknown[] | null)[])
            if (row !== null) row[at] = String(row[at]).toUpperCase()
          return Promise.resolve()
        }
      },
    }

    it('changes rows after they were read, and prevents caching of these responses only', async () => {
      const headers = { '*': { cacheControl: 'max-age=60' } }
      const served = serve({ extensions: [loud], cache: {}, headers })
      for (let turn = 0; turn < 2; turn += 1)
        expect(await titlesOf(served, '')).toEqual(['ONE', 'TWO', 'THREE'])
      const changed = await served.get('pages')
      expect(changed.headers).toMatchObject({ 'cache-control': 'private, no-store' })
      expect(changed.headers).not.toHaveProperty('etag')
      const unchanged = await served.get('pages?fields=rank')
      expect(unchanged.headers).toMatchObject({ 'cache-control': 'public, max-age=60' })
      expect(unchanged.headers).toHaveProperty('etag')
    })
  })

  describe('the hook withholds', () => {
    it('refuses a type as without permission, and shows it where others populate it', async () => {
      const withholding: Extension = { name: 'withholding', withholds: () => ['api::author.author'] as Uid[] }
      const served = serve({ extensions: [withholding] })
      const forbidden = await serve({ permissions: { public: { find: ['page'] } } }).get('authors')
      const refused = await served.get('authors?filters[nope]=1')
      expect([refused.status, refused.text]).toEqual([403, forbidden.text])
      const [page] = await served.list('pages?filters[rank]=1&populate=author')
      expect(page).toMatchObject({ author: { name: 'Ann' } })
    })

    it('is refused with a name that no type has, which would withhold nothing', () => {
      const withholding: Extension = { name: 'withholding', withholds: () => ['api::auther.auther'] as Uid[] }
      expect(() => serve({ extensions: [withholding] })).toThrow(
        'withholding.withholds: there is no type api::auther.auther (did you mean api::author.author?)',
      )
    })
  })

  describe('a route that reads a type', () => {
    const routeTo = (type: string): Extension => ({
      name: 'all',
      routes: [
        {
          ...{ path: '/all', action: 'find', asks: () => ({ kind: 'list' }) },
          manner: { lists: 'whole', body: 'bare' },
          right: { controller: 'all', action: 'find', type, as: 'find' },
        },
      ],
    })
    const permissions = { public: { find: ['page'] }, other: { find: ['author'] } }

    it('has the query, the permissions and the errors of content', async () => {
      const served = serve({ extensions: [routeTo('page')], permissions })
      const answer = await served.get('all?sort=rank:desc&filters[rank][$gt]=1')
      expect(answer.body).toMatchObject([{ title: 'three' }, { title: 'two' }])
      expect((await served.get('all?filters[nope]=1')).status).toBe(400)
      expect((await served.get('all', 'other')).status).toBe(403)
      expect((await request(served.app).post('/api/all')).status).toBe(405)
    })

    it('is left out if there is no such type', async () => {
      expect((await serve({ extensions: [routeTo('nothing')] }).get('all')).status).toBe(404)
    })
  })

  describe('sources', () => {
    const nothing = { check: () => [], reads: [] }
    const role: RoleSource = {
      ...nothing,
      open: () => (headers) => {
        const who = headers['x-who']
        const roles = typeof who === 'string' ? [who] : null
        return Promise.resolve(roles === null ? null : { kind: 'roles', roles, asker: new Map() })
      },
    }
    const isGranted = (name: string, uid: string, action: string): boolean =>
      name === 'reader' && uid === 'api::page.page' && action === 'find'
    const permissions: PermissionsSource = {
      ...nothing,
      rules: { reader: { page: { where: { rank: { $gt: 1 } } } } },
      open: () => () => Promise.resolve(Object.assign(isGranted, { mayReadDrafts: () => false })),
      checkStored: () => Promise.resolve([]),
    }

    it('say who sends a request and what the role may read, which rules narrow', async () => {
      const { app } = serve({ role, permissions })
      const ask = (who: string) => request(app).get('/api/pages?sort=rank').set('x-who', who)
      expect((await ask('reader')).body).toMatchObject({ data: [{ title: 'two' }, { title: 'three' }] })
      expect((await ask('other')).status).toBe(403)
      expect((await request(app).get('/api/pages')).status).toBe(401)
    })

    it('report faults of their options with all others', () => {
      const faulty = (where: string) => ({ check: () => [{ where, problem: 'is wrong' }] })
      const options = {
        role: { ...role, ...faulty('role.secret') },
        permissions: { ...permissions, ...faulty('permissions.age'), rules: { reader: { paje: true } } },
      }
      expect(() => serve(options)).toThrow(
        /role\.secret: is wrong\s+permissions\.age: is wrong\s+permissions\.rules\.reader\.paje: there is no type/,
      )
    })
  })

  describe('the check of options', () => {
    it('is reported with all other faults, and gets the definitions only if these are right', () => {
      const seen: unknown[] = []
      const checking = (name: string): Extension => ({
        name,
        check: (_config, core) => {
          seen.push(
            core === null ? null : [...core.schema.models.keys()].map(String).includes('api::page.page'),
          )
          return [{ where: name, problem: 'is wrong' }]
        },
      })
      expect(() => serve({ extensions: [checking('first'), checking('second')] })).toThrow(
        /first: is wrong\s+second: is wrong/,
      )
      expect(() => serve({ extensions: [checking('third')], timeout: 0 })).toThrow(
        /timeout: the value must be above 0 milliseconds[^]*third: is wrong/,
      )
      expect(seen).toEqual([true, true, null])
    })
  })
})
