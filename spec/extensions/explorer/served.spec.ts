import express from 'express'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import request from 'supertest'
import { ConfigError, contentRouter, type ContentRouter, type ContentRouterConfig } from '../../../lib'
import { contentExplorer, type ExplorerOptions } from '../../../lib/explorer'
import { onSqlite } from '../../support/databases'
import { expresses } from '../../support/expresses'
import { collection, relation, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection(
    'book',
    { title: text, ledger: { type: 'string', private: true }, author: relation('manyToOne', 'author') },
    { drafts: true },
  ),
  collection('author', { name: text }),
  collection('diary', { text }),
] as unknown as ContentRouterConfig['contentTypes']

interface Told {
  readonly roles: readonly string[]
  readonly types: readonly {
    readonly uid: string
    readonly path: string | null
    readonly links: readonly object[]
  }[]
}

describe.each(expresses)('the explorer under Express %s', (_, make) => {
  onSqlite((database) => {
    const { world } = stocked(database, types, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', author: 'ada' }],
      diary: [{ text: 'dear' }],
    })
    const routerOf = (options: Partial<ContentRouterConfig> = {}): ContentRouter =>
      world.closing(
        contentRouter({
          ...options,
          contentTypes: types,
          database: world.config,
          role: (req) => req.get('x-test-role') ?? 'public',
          permissions: {
            public: { find: ['book'] },
            reader: { find: ['book', 'author'] },
            owner: { find: { diary: { where: { text: { $eq: { $asker: 'word' } } } } } },
          },
        }),
      )
    const appWith = (options: ExplorerOptions, api = routerOf()) => {
      const app = make()
      app.use('/api', api)
      return app.use('/explorer', contentExplorer(api, options))
    }
    const told = async (app: express.Express, role: string): Promise<Told> =>
      ((await request(app).get('/explorer/types').set('X-Explorer-Role', role).expect(200)) as { body: Told })
        .body

    it('is a page that asks no other host, runs no script of an answer and is framed by nobody', async () => {
      const app = appWith({ title: '<b>&"x"' })
      const { headers, text: html } = await request(app).get('/explorer/').expect(200)
      const policy = new Map(
        String(headers['content-security-policy'])
          .split('; ')
          .map((part) => [part.split(' ')[0], part.split(' ').slice(1).join(' ')]),
      )
      expect(policy.get('default-src')).toBe("'none'")
      for (const [kind, from] of policy)
        if (kind?.endsWith('-src') === true) expect(["'none'", "'self'"]).toContain(from)
      expect(policy.get('frame-ancestors')).toBe("'none'")
      expect(html).not.toContain('<b>&"x"')
      expect(html).not.toMatch(/<script(?![^>]* src="page\.js")|https?:|style=/)
    })

    it('is found without the slash at its end, wherever it is mounted', async () => {
      const { headers } = await request(appWith({})).get('/explorer').expect(302)
      expect(new URL(String(headers['location']), 'http://a.b/prefix/explorer').href).toBe(
        'http://a.b/prefix/explorer/',
      )
    })

    it.each(['page.js', 'page.css', 'icon.svg'])('serves %s as what it is', async (file) => {
      const { headers } = await request(appWith({})).get(`/explorer/${file}`).expect(200)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-type']).toMatch(/javascript|css|svg/)
    })

    it('tells of what the asking role may read, and of nothing else', async () => {
      const app = appWith({ roles: () => ['reader'] })
      const own = await told(app, '')
      expect(own.types.map(({ uid }) => uid)).toEqual(['api::book.book'])
      expect(own.types[0]?.links).toEqual([])
      expect(JSON.stringify(own)).not.toMatch(/ledger|diary|author/)
      const others = await told(app, 'reader')
      expect(others.types.map(({ path }) => path)).toEqual(['authors', 'books'])
      expect(JSON.stringify(others)).not.toMatch(/ledger|diary/)
    })

    it('answers as the router does to whoever asks', async () => {
      const app = appWith({})
      const query = 'books?populate=*&sort=title'
      const [there, here] = [
        await request(app).get(`/api/${query}`),
        await request(app).get(`/explorer/ask/${query}`),
      ]
      expect(here.status).toBe(200)
      expect(here.text).toBe(there.text)
      expect((await request(app).get('/explorer/ask/authors')).status).toBe(403)
      expect((await request(app).get('/explorer/ask/nothing')).status).toBe(404)
    })

    it('lets nobody try a role, unless the host says so for this request', async () => {
      const none = appWith({})
      const some = appWith({ roles: (req) => (req.get('x-developer') === 'yes' ? ['reader'] : []) })
      const as = (app: express.Express, path: string, role: string, developer = 'no') =>
        request(app).get(`/explorer/${path}`).set('X-Explorer-Role', role).set('x-developer', developer)
      for (const path of ['ask/authors', 'types']) {
        expect((await as(none, path, 'reader')).status).toBe(403)
        expect((await as(some, path, 'reader')).status).toBe(403)
        const unknown = await as(some, path, 'nobody', 'yes')
        const notTried = await as(some, path, 'owner', 'yes')
        expect([unknown.status, unknown.text]).toEqual([403, notTried.text])
        expect((await as(some, path, 'reader', 'yes')).status).toBe(200)
      }
      // The header says nothing to the router itself.
      expect(
        (await request(some).get('/api/authors').set('X-Explorer-Role', 'reader').set('x-developer', 'yes'))
          .status,
      ).toBe(403)
    })

    it('tries whole askers, with the values that rules compare with', async () => {
      const app = appWith({
        roles: () => ({
          'owner of dear': { roles: ['owner'], asker: { word: 'dear' } },
          'owner of none': { roles: ['owner'], asker: { word: 'x' } },
        }),
      })
      const seen = async (role: string): Promise<unknown[]> =>
        (
          (await request(app)
            .get('/explorer/ask/diaries')
            .set('X-Explorer-Role', encodeURIComponent(role))
            .expect(200)) as { body: { data: unknown[] } }
        ).body.data
      expect(await seen('owner of dear')).toHaveLength(1)
      expect(await seen('owner of none')).toEqual([])
    })

    it('offers what is asked in the place of somebody to whoever may try him', async () => {
      const query = { title: 'One', query: 'books' }
      const examples = [
        { title: 'All', queries: [query, { ...query, query: 'ledgers', role: 'owner' }] },
        { title: 'Of owners', queries: [{ ...query, role: 'owner' }] },
      ]
      const offered = async (roles: readonly string[]): Promise<unknown> =>
        (
          (await request(appWith({ examples, roles: () => roles })).get('/explorer/types')) as {
            body: { examples: unknown }
          }
        ).body.examples
      expect(await offered(['reader'])).toEqual([{ title: 'All', queries: [query] }])
      expect(await offered(['owner'])).toEqual(examples)
    })

    it('hands what the function of the host throws to the host', async () => {
      const app = appWith({ roles: () => Promise.reject(new Error('no session')) })
      const answer: express.ErrorRequestHandler = (error: Error, _req, res, next) => {
        if (res.headersSent) next(error)
        else res.status(599).send(error.message)
      }
      app.use(answer)
      expect((await request(app).get('/explorer/types')).text).toBe('no session')
      expect((await request(app).get('/explorer/ask/books')).status).toBe(599)
    })

    it('lets no cache on the way keep what it was answered, whatever the router says of it', async () => {
      const headers = { '*': { cacheControl: 'max-age=60' }, book: { shared: true } }
      const app = appWith({ roles: () => ['reader', 'owner'] }, routerOf({ headers }))
      const held = (path: string, role = '') =>
        request(app).get(path).set('X-Explorer-Role', role).expect(200).expect('Cache-Control', /.+/)
      expect((await held('/api/books')).headers['cache-control']).toBe('public, max-age=60')
      for (const role of ['', 'reader'])
        expect((await held('/explorer/ask/books', role)).headers['cache-control']).toBe('private, no-store')
      const ruled = await held('/explorer/ask/diaries', 'owner')
      expect(ruled.headers['cache-control']).toBe('private, no-store')
    })

    it('sends a query to the server beside it as well, and to no other path of that', async () => {
      const asked: string[] = []
      const strapi = createServer({ keepAliveTimeout: 0 }, (req, res) => {
        asked.push(`${String(req.url)} ${req.headers.authorization ?? ''} ${req.headers.cookie ?? ''}`)
        res.end('{"data":[]}')
      }).listen(0, '127.0.0.1')
      await once(strapi, 'listening')
      const { port } = strapi.address() as AddressInfo
      const app = appWith({ beside: `http://127.0.0.1:${String(port)}/api` })
      const get = (path: string) =>
        request(app)
          .get(`/explorer/beside/${path}`)
          .set('Authorization', 'Bearer x')
          .set('Cookie', 'session=1')
      const { body } = (await get('books?populate[0]=author').expect(200)) as { body: object }
      // Our own time is that of an answer which is asked on the same way.
      expect(body).toMatchObject({ status: 200, text: '{"data":[]}', here: expect.any(Number) as number })
      await get('/other.example/x').expect(200)
      await get('books/by/slug/a%2Fb..%20c').expect(200)
      const ways = ['%2e%2e/admin', '%2e%2e%2fadmin', '..%5cadmin', 'books%2F..%2f..%2Fadmin', '..;/admin']
      for (const path of [...ways, '%252e%252e%252fadmin', '..%c0%af', 'books/%2e%2e']) {
        const refused = (await get(path).expect(200)) as { body: { problem: string } }
        expect([path, refused.body.problem]).toEqual([path, expect.stringContaining('there is no such path')])
      }
      strapi.close()
      await once(strapi, 'close')
      expect(asked).toEqual([
        '/api/books?populate[0]=author Bearer x ',
        '/api//other.example/x Bearer x ',
        '/api/books/by/slug/a%2Fb..%20c Bearer x ',
      ])
      const away = (await get('books').expect(200)) as { body: { problem: string } }
      expect(away.body.problem).toMatch(/^127\.0\.0\.1:\d+ gives no answer: /)
    })

    it('serves nothing beside where no other server is named', async () => {
      expect((await request(appWith({})).get('/explorer/beside/books')).status).toBe(404)
    })

    it.each([
      [{ title: '' }, 'title'],
      [{ at: 'api' }, 'at'],
      [{ roles: ['reader'] }, 'roles'],
      [{ beside: 'localhost:1337' }, 'beside'],
      [{ examples: {} }, 'examples'],
      [{ examples: [{ title: 'Lists' }] }, 'examples'],
      [{ examples: [{ title: 'Lists', queries: [{ title: 'All' }] }] }, 'examples'],
      [{ titel: 'Books' }, 'titel.*did you mean title'],
    ])('refuses the options %j', (options, where) => {
      const api = routerOf()
      const mistake = (): unknown => contentExplorer(api, options as unknown as ExplorerOptions)
      expect(mistake).toThrow(ConfigError)
      expect(mistake).toThrow(new RegExp(`\\b${where}\\b`))
    })

    it.each([undefined, null, 'editor', [1]])(
      'tells nobody anything where roles answers %j',
      async (roles) => {
        const errors: unknown[] = []
        const app = express()
          .use('/explorer', contentExplorer(routerOf(), { roles: () => roles as never }))
          .use(
            (error: unknown, _req: express.Request, _res: express.Response, next: express.NextFunction) => {
              errors.push(error)
              next()
            },
          )
        expect((await request(app).get('/explorer/types')).status).toBe(404)
        expect(String(errors[0])).toContain('roles answers neither a list of names nor a table by names')
      },
    )

    it('tells which of those that may be tried are no roles by themselves', async () => {
      const roles = () => ({ reader: 'reader', 'Inês, a reader': { roles: 'reader', asker: { id: 1 } } })
      const { body } = (await request(appWith({ roles })).get('/explorer/types')) as {
        body: { named: unknown }
      }
      expect(body.named).toEqual(['Inês, a reader'])
    })

    it('refuses what is no router of ours', () => {
      expect(() => contentExplorer(express.Router())).toThrow(ConfigError)
    })
  })
})
