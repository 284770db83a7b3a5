import express, { type Express } from 'express'
import request from 'supertest'
import { openapi } from '../../../extensions/openapi'
import { contentRouter, type ContentRouterConfig } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { collection, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection('book', { title: text }),
  collection('author', { name: text }),
  { ...collection('home', { title: text }), kind: 'singleType' },
] as unknown as ContentRouterConfig['contentTypes']

onSqlite((database) => {
  const { world } = stocked(database, types, {})

  function host(): Express {
    const router = contentRouter({
      ...{ contentTypes: types, database: world.config, logger: false, extensions: [openapi()] },
      role: (req) => (req.get('X-Role') === 'nobody' ? null : (req.get('X-Role') ?? 'public')),
      permissions: {
        public: { find: ['book', 'home'], findOne: [] },
        single: { find: [], findOne: ['author', 'home'] },
        editor: { find: '*' },
      },
    })
    return express().use('/api', world.closing(router))
  }

  describe('the index', () => {
    let app: Express | undefined
    const index = (): Express => (app ??= host())
    const list = async (role?: string): Promise<unknown> => {
      const asking = request(index()).get('/api')
      const response = await (role === undefined ? asking : asking.set('X-Role', role))
      expect(response.status).toBe(200)
      expect(response.headers['cache-control']).toBe('private, no-store')
      expect(response.body).toEqual({ data: expect.any(Array) as unknown[], meta: {} })
      return (response.body as { data: unknown }).data
    }
    const book = { uid: 'api::book.book', kind: 'collectionType', path: '/api/books' }
    const author = { uid: 'api::author.author', kind: 'collectionType' }
    const home = { uid: 'api::home.home', kind: 'singleType', path: '/api/home' }

    it('lists the types that the role may find', async () => {
      expect(await list()).toEqual([book, home])
    })

    it('lists the types of which the role may read single entries', async () => {
      expect(await list('single')).toEqual([{ ...author, one: '/api/authors/:documentId' }])
    })

    it('lists all types with a route for a role that may find everything', async () => {
      const one = (path: string): object => ({ path, one: `${path}/:documentId` })
      expect(await list('editor')).toEqual([
        { ...book, ...one('/api/books') },
        { ...author, ...one('/api/authors') },
        home,
      ])
    })

    it('is empty for a role without grants, and a 401 without a role', async () => {
      expect(await list('stranger')).toEqual([])
      expect((await request(index()).get('/api').set('X-Role', 'nobody')).status).toBe(401)
    })

    it('allows GET, HEAD and OPTIONS only', async () => {
      const { status, headers } = await request(index()).post('/api')
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
    })
  })
})
