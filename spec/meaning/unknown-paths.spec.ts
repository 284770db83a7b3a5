import express, { type Express } from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { expresses } from '../support/expresses'
import { onSqlite } from '../support/databases'
import { component, type } from './definitions'

const types = [
  type('book', { title: { type: 'string' } }),
  type('author', { name: { type: 'string' } }),
  type('home', { title: { type: 'string' } }, { kind: 'singleType' }),
  component('shared.seo', { title: { type: 'string' } }),
]

const absent = {
  data: null,
  error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
}

onSqlite((database) => {
  const world = database.fresh()

  function host(options: Partial<ContentRouterConfig>, version = express): Express {
    const config: ContentRouterConfig = {
      ...{ contentTypes: types, database: world.config, logger: false },
      role: (req) => (req.get('X-Role') === 'nobody' ? null : (req.get('X-Role') ?? 'public')),
      permissions: {
        public: { find: ['book', 'home'], findOne: [] },
        single: { find: [], findOne: ['author', 'home'] },
        editor: { find: '*' },
      },
    }
    const app = version().use('/api', world.closing(contentRouter({ ...config, ...options })))
    return app.use((_req, res) => {
      res.status(404).send('the host')
    })
  }

  const unknown = ['/api/book', '/api/books/a/b', '/api/plugin', '/api/nope?filters[a]=b', '/api', '/api/']

  describe.each(expresses)('unknown paths below the mount, under Express %s', (_, version) => {
    it.each(unknown)('are left to the handlers of the host: %s', async (path) => {
      expect((await request(host({}, version)).get(path)).text).toBe('the host')
    })

    it.each(unknown)('are a 404 in JSON where the host wants it: %s', async (path) => {
      const app = host({ notFound: 'json' }, version)
      for (const response of [await request(app).get(path), await request(app).post(path)]) {
        expect([response.status, response.body]).toEqual([404, absent])
      }
    })

    it('outside the mount are none of ours', async () => {
      expect((await request(host({ notFound: 'json' }, version)).get('/nope')).text).toBe('the host')
    })
  })

  describe('the index', () => {
    const list = async (role?: string): Promise<unknown> => {
      const asking = request(host({ index: true })).get('/api')
      const response = await (role === undefined ? asking : asking.set('X-Role', role))
      expect(response.status).toBe(200)
      expect(response.headers['cache-control']).toBe('private, no-store')
      expect(response.body).toEqual({ data: expect.any(Array) as unknown[], meta: {} })
      return (response.body as { data: unknown }).data
    }
    const book = { uid: 'api::book.book', kind: 'collectionType', path: '/api/books' }
    const author = { uid: 'api::author.author', kind: 'collectionType' }
    const home = { uid: 'api::home.home', kind: 'singleType', path: '/api/home' }

    it('lists what the role may list', async () => {
      expect(await list()).toEqual([book, home])
    })

    it('lists what the role may read one by one', async () => {
      expect(await list('single')).toEqual([{ ...author, one: '/api/authors/:documentId' }])
    })

    it('lists all that has a route for a role that may find everything', async () => {
      const one = (path: string): object => ({ path, one: `${path}/:documentId` })
      expect(await list('editor')).toEqual([
        { ...book, ...one('/api/books') },
        { ...author, ...one('/api/authors') },
        home,
      ])
    })

    it('is empty for a role that may read nothing, and a 401 for nobody', async () => {
      expect(await list('stranger')).toEqual([])
      expect(
        (
          await request(host({ index: true }))
            .get('/api')
            .set('X-Role', 'nobody')
        ).status,
      ).toBe(401)
    })

    it('can be read, and refuses every other method', async () => {
      const { status, headers } = await request(host({ index: true })).post('/api')
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
    })
  })
})
