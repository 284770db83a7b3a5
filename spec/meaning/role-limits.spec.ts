import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import request from 'supertest'
import { ConfigError, contentRouter, type ContentRouterConfig, type RoleLimits } from '../../lib'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { roleHeader, type Served, stocked } from '../support/served'

/** As many as `pool.max` says, which is one. */
interface Pool {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}

const find = { find: '*' } as const

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    author: [
      { $ref: 'ada', name: 'Ada' },
      { $ref: 'bo', name: 'Bo' },
    ],
    book: ['Dawn', 'Dusk', 'Noon'].map((title) => ({ title, author: 'ada' })),
  })

  const limited = (limitsByRole: Readonly<Record<string, RoleLimits>>, other: object = {}): Served => {
    const roles = ['public', 'editor', ...Object.keys(limitsByRole)]
    return serve({
      permissions: Object.fromEntries(roles.map((role) => [role, find])),
      limitsByRole,
      ...other,
    })
  }

  describe('a limit of a role', () => {
    it.each([
      ['maxDepth', { maxDepth: 1 }, 'books?populate=author.country'],
      ['maxNodes', { maxNodes: 2 }, 'books?populate=author,genres,cover'],
      ['maxInValues', { maxInValues: 2 }, 'books?filters[id][$in]=1&filters[id][$in]=2&filters[id][$in]=3'],
      ['arrayLimit', { arrayLimit: 2 }, 'books?sort[]=id&sort[]=title&sort[]=year'],
      ['maxParameters', { maxParameters: 2 }, 'books?sort=id&fields=title&status=published'],
      ['maxLength', { maxLength: 20 }, 'books?filters[title]=Dawn&sort=id'],
      ['maxEntries', { maxEntries: 4 }, 'books?populate=author'],
      ['maxCost', { maxCost: 40 }, 'books?filters[author][country][name]=a'],
      ['maxSortKeys', { maxSortKeys: 2 }, 'books?sort=year,title,id'],
      ['maxSortKeys', { maxSortKeys: 0 }, 'authors?populate[books][sort]=title'],
      ['maxDepth', { maxDepth: 1 }, 'books?sort=author.country.name'],
      ['maxNodes', { maxNodes: 2 }, 'books?sort=author.country.name'],
    ])('is a 400 that names it, to that role alone: %s', async (name, limits, path) => {
      const { get, refusal } = limited({ public: limits })
      expect((await refusal(path)).message).toContain(`the option ${name} in limitsByRole raises this`)
      expect((await get(path, 'editor')).status).toBe(200)
      expect((await get(path)).status).toBe(400)
    })

    it('is named only where it is the one that holds', async () => {
      const { refusal } = limited(
        { public: { maxDepth: 1 }, reader: { maxNodes: 500 }, narrow: { maxDepth: 0 } },
        { query: { maxDepth: 1 } },
      )
      const told = async (roles: string): Promise<string> =>
        (await refusal('books?populate=author.country', roles)).message
      const ofRole = 'Populated deeper than 1 levels; the option maxDepth in limitsByRole raises this'
      const ofAll = 'Populated deeper than 1 levels; the option query.maxDepth raises this'
      expect(await told('public')).toBe(ofRole)
      for (const roles of ['editor', 'reader', 'narrow,editor']) expect(await told(roles)).toBe(ofAll)
      expect(await told('narrow')).toContain('deeper than 0 levels; the option maxDepth in limitsByRole')
      expect(JSON.stringify(await refusal('books?populate=author.country', 'narrow'))).not.toContain('narrow')
    })

    it('cuts pages to its size, also where none is named', async () => {
      const { list } = limited({ public: { maxPageSize: 2 } })
      expect(await list('books?pagination[pageSize]=50')).toHaveLength(2)
      expect(await list('books')).toHaveLength(2)
      expect(await list('books', 'editor')).toHaveLength(3)
    })

    it('cuts the pages of what is related', async () => {
      const { list } = limited({ public: { maxPageSize: 1 } }, { nestedPagination: true })
      const query = 'authors?sort=name&populate[books][pagination][pageSize]=2'
      expect((await list(query))[0]?.['books']).toHaveLength(1)
      expect((await list(query, 'editor'))[0]?.['books']).toHaveLength(2)
    })

    it('may be more generous than the limit of all', async () => {
      const { get, list } = limited(
        { public: { maxDepth: 5 } },
        { query: { maxDepth: 1 }, pagination: { maxPageSize: 1 } },
      )
      expect((await get('books?populate=author.country', 'editor')).status).toBe(400)
      expect((await get('books?populate=author.country')).status).toBe(200)
      expect(await list('books?pagination[pageSize]=50')).toHaveLength(1)
    })

    it('is the most generous one where several roles have it, each limit by itself', async () => {
      const { get, list } = limited({
        deep: { maxDepth: 2, maxPageSize: 1 },
        wide: { maxDepth: 1, maxPageSize: 2 },
      })
      const path = 'books?populate=author.country'
      expect((await get(path, 'wide')).status).toBe(400)
      expect(await list(path, 'deep')).toHaveLength(1)
      expect(await list(path, 'wide,deep')).toHaveLength(2)
      expect(await list(path, 'wide,editor')).toHaveLength(3)
    })

    it('does not reach from one answer into the next of the same query and the same grants', async () => {
      const { list } = limited({ few: { maxPageSize: 1 }, some: { maxPageSize: 2 } })
      const counts: number[] = []
      for (const role of ['editor', 'few', 'some', 'few', 'editor', 'some']) {
        counts.push((await list('books?pagination[pageSize]=9', role)).length)
      }
      expect(counts).toEqual([3, 1, 2, 1, 3, 2])
    })

    it('on time ends the waiting of that role, and of no other', async () => {
      const knex: Knex = makeKnex({ ...world.config, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const pool = knex.client as Pool
      const router = contentRouter({
        contentTypes: library,
        database: knex,
        role: (req) => req.get(roleHeader) ?? 'public',
        permissions: { public: find, hurried: find },
        limitsByRole: { hurried: { timeout: 50 } },
      })
      const app = express().use('/api', router)
      await request(app).get('/api/books').expect(200)
      const held = await pool.acquireConnection()
      const patient = request(app)
        .get('/api/books')
        .then(({ status }) => status)
      await request(app).get('/api/books').set(roleHeader, 'hurried').expect(503)
      await pool.releaseConnection(held)
      expect(await patient).toBe(200)
    })
  })
})

describe('limits by role', () => {
  const faultsOf = (limitsByRole: unknown): readonly string[] => {
    const config: ContentRouterConfig = {
      contentTypes: library,
      database: { client: 'better-sqlite3', connection: ':memory:' },
      permissions: { public: find, editor: find },
      limitsByRole: limitsByRole as Readonly<Record<string, RoleLimits>>,
    }
    try {
      void contentRouter(config).close()
      return []
    } catch (error) {
      if (error instanceof ConfigError)
        return error.faults.map(({ where, problem, remedy = '' }) => `${where} ${problem} ${remedy}`)
      throw error
    }
  }

  it.each([
    [{ pubilc: {} }, 'limitsByRole.pubilc the permissions know no such role did you mean public?'],
    [
      { public: { maxDept: 1 } },
      'limitsByRole.public.maxDept there is no such option did you mean maxDepth?',
    ],
    [{ public: { maxNodes: 0 } }, 'limitsByRole.public.maxNodes is not a whole number from 1 on '],
    [{ public: { maxSortKeys: -1 } }, 'limitsByRole.public.maxSortKeys is not a whole number from 0 to 50 '],
    [
      { public: { maxSortKeys: Infinity } },
      'limitsByRole.public.maxSortKeys is not a whole number from 0 to 50 ',
    ],
    [
      { public: { timeout: 0 } },
      'limitsByRole.public.timeout is not a number of milliseconds Infinity: no limit',
    ],
    [{ public: { defaultPageSize: 5 } }, 'limitsByRole.public.defaultPageSize is no limit of a role '],
    [{ public: 5 }, 'limitsByRole.public is no table of limits '],
    [5, 'limitsByRole is no table of limits by role '],
  ])('are refused at start where they are wrong: %j', (given, fault) => {
    expect(faultsOf(given)).toEqual([fault])
  })

  it('may name every limit', () => {
    const limits = { arrayLimit: 1, maxParameters: 1, maxLength: 1, maxDepth: 0, maxNodes: 1, maxInValues: 1 }
    const others = { maxEntries: 1, maxCost: 1, maxPageSize: 1, maxSortKeys: 50, timeout: Infinity }
    expect(faultsOf({ public: { ...limits, ...others } })).toEqual([])
  })
})
