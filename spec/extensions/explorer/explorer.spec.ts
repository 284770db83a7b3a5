import express from 'express'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import {
  ConfigError,
  contentRouter,
  type ContentRouter,
  type ContentRouterConfig,
  migrate,
} from '../../../lib'
import { seed } from '../../../extensions/seed'
import { parseAddress } from '../../../extensions/explorer/page/address'
import { codeOf, type Language } from '../../../extensions/explorer/page/code'
import { type PageData, typeAt, typesByUid } from '../../../extensions/explorer/page/page-data'
import { contentExplorer, type ExplorerOptions } from '../../../extensions/explorer'
import { onSqlite, type World } from '../../support/databases'
import { expresses } from '../../support/expresses'
import { collection, relation, text } from '../../support/library'
import { recordingOf } from '../../support/recordings'
import { serveSample } from '../../support/sample-site'
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

interface ToldTypes {
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
    const told = async (app: express.Express, role: string): Promise<ToldTypes> =>
      (
        (await request(app).get('/explorer/types').set('X-Explorer-Role', role).expect(200)) as {
          body: ToldTypes
        }
      ).body

    it('serves a page that loads nothing from other hosts and cannot be framed', async () => {
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

    it('redirects to the path with a slash at its end', async () => {
      const { headers } = await request(appWith({})).get('/explorer').expect(302)
      expect(new URL(String(headers['location']), 'http://a.b/prefix/explorer').href).toBe(
        'http://a.b/prefix/explorer/',
      )
    })

    it.each(['page.js', 'page.css', 'icon.svg'])('serves %s with its content type', async (file) => {
      const { headers } = await request(appWith({})).get(`/explorer/${file}`).expect(200)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-type']).toMatch(/javascript|css|svg/)
    })

    it('lists only the types that the role may read', async () => {
      const app = appWith({ roles: () => ['reader'] })
      const own = await told(app, '')
      expect(own.types.map(({ uid }) => uid)).toEqual(['api::book.book'])
      expect(own.types[0]?.links).toEqual([])
      expect(JSON.stringify(own)).not.toMatch(/ledger|diary|author/)
      const others = await told(app, 'reader')
      expect(others.types.map(({ path }) => path)).toEqual(['authors', 'books'])
      expect(JSON.stringify(others)).not.toMatch(/ledger|diary/)
    })

    it('responds as the router does to the same caller', async () => {
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

    it('rejects roles that the host does not allow for the request', async () => {
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

    it('sends requests as whole askers, with the values of permission rules', async () => {
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

    it('offers examples of a role only to callers who may try it', async () => {
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

    it('passes errors of the roles function on to the host', async () => {
      const app = appWith({ roles: () => Promise.reject(new Error('no session')) })
      const answer: express.ErrorRequestHandler = (error: Error, _req, res, next) => {
        if (res.headersSent) next(error)
        else res.status(599).send(error.message)
      }
      app.use(answer)
      expect((await request(app).get('/explorer/types')).text).toBe('no session')
      expect((await request(app).get('/explorer/ask/books')).status).toBe(599)
    })

    it('forbids shared caches to store its responses, whatever headers the router sets', async () => {
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

    it('sends a query to the server beside it, below the path of its API only', async () => {
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
        expect([path, refused.body.problem]).toEqual([
          path,
          expect.stringContaining('the path leaves the API'),
        ])
      }
      strapi.close()
      await once(strapi, 'close')
      expect(asked).toEqual([
        '/api/books?populate[0]=author Bearer x ',
        '/api//other.example/x Bearer x ',
        '/api/books/by/slug/a%2Fb..%20c Bearer x ',
      ])
      const away = (await get('books').expect(200)) as { body: { problem: string } }
      expect(away.body.problem).toMatch(/^No response from 127\.0\.0\.1:\d+: /)
    })

    it('has no route for a server beside it by default', async () => {
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
    ])('rejects the options %j', (options, where) => {
      const api = routerOf()
      const mistake = (): unknown => contentExplorer(api, options as unknown as ExplorerOptions)
      expect(mistake).toThrow(ConfigError)
      expect(mistake).toThrow(new RegExp(`\\b${where}\\b`))
    })

    it.each([undefined, null, 'editor', [1]])('fails if the roles function returns %j', async (roles) => {
      const errors: unknown[] = []
      const app = express()
        .use('/explorer', contentExplorer(routerOf(), { roles: () => roles as never }))
        .use((error: unknown, _req: express.Request, _res: express.Response, next: express.NextFunction) => {
          errors.push(error)
          next()
        })
      expect((await request(app).get('/explorer/types')).status).toBe(404)
      expect(String(errors[0])).toContain('roles must return a list of names or an object')
    })

    it('marks the names that are no roles', async () => {
      const roles = () => ({ reader: 'reader', 'Inês, a reader': { roles: 'reader', asker: { id: 1 } } })
      const { body } = (await request(appWith({ roles })).get('/explorer/types')) as {
        body: { named: unknown }
      }
      expect(body.named).toEqual(['Inês, a reader'])
    })

    it('rejects a router that is not a content router', () => {
      expect(() => contentExplorer(express.Router())).toThrow(
        'contentExplorer: the first argument of contentExplorer() must be a router of express-content-router',
      )
    })
  })
})

interface ToldParts {
  readonly types: readonly {
    readonly uid: string
    readonly kind: string
    readonly scalars: readonly { readonly name: string }[]
  }[]
}

/** The scalars of each component for the page, and those of one in a response. */
async function namesOf(
  config: Omit<ContentRouterConfig, 'database'>,
  world: World,
  query: string,
): Promise<{ readonly told: ReadonlyMap<string, readonly string[]>; readonly answered: object }> {
  const api = world.closing(
    contentRouter({
      ...config,
      database: world.config,
      role: () => 'public',
      permissions: { public: { find: '*' } },
      logger: false,
    }),
  )
  const app = express().use('/explorer', contentExplorer(api))
  const { types } = ((await request(app).get('/explorer/types').expect(200)) as { body: ToldParts }).body
  const { data } = (
    (await request(app).get(`/explorer/ask/${query}`).expect(200)) as { body: { data: { seo: object }[] } }
  ).body
  const parts = types.filter(({ kind }) => kind === 'component')
  return {
    told: new Map(parts.map(({ uid, scalars }) => [uid, scalars.map(({ name }) => name)])),
    answered: data[0]?.seo ?? {},
  }
}

const ofSeo = 'articles?populate[seo]=true&filters[seo][id][$notNull]=true&pagination[pageSize]=1'

onSqlite((database) => {
  describe('components in the explorer, in tables of Strapi', () => {
    const world = database.restored()

    it('have no document id, as in responses', async () => {
      const config = { extensions: [strapi5()], contentTypes: recordingOf(database.name).contentTypes }
      const { told, answered } = await namesOf(config, world, ofSeo)
      expect(told.get('shared.seo')).toEqual(Object.keys(answered))
      expect([...told.values()].filter((names) => names.includes('documentId'))).toEqual([])
      expect([...told.values()].every(([first]) => first === 'id')).toBe(true)
    })
  })

  describe('components in the explorer, in tables of migrate', () => {
    const world = database.fresh()

    it('have a document id, as in responses', async () => {
      const seo = {
        collectionName: 'components_shared_seos',
        info: { displayName: 'Seo' },
        attributes: { title: text },
      }
      const article = collection('article', {
        title: text,
        seo: { type: 'component', component: 'shared.seo' },
      })
      const contentTypes = [
        article,
        { uid: 'shared.seo', ...seo },
      ] as unknown as ContentRouterConfig['contentTypes']
      await migrate({ contentTypes, database: world.config })
      await seed(
        { contentTypes, database: world.config },
        { article: [{ title: 'Dawn', seo: { title: 'At dawn' } }] },
      )
      const { told, answered } = await namesOf({ contentTypes }, world, ofSeo)
      expect(told.get('shared.seo')).toEqual(Object.keys(answered))
      expect(told.get('shared.seo')).toContain('documentId')
    })
  })
})

describe('the code of the explorer', () => {
  const site = serveSample()
  let told: PageData
  beforeAll(async () => {
    told = (await (await fetch(`${site.at}/explorer/types`)).json()) as PageData
  })

  const codeFor = (language: Language, text: string, who: object = {}): string => {
    const asked = parseAddress(text, told.at)
    const code = codeOf(language, {
      ...{ ...asked, type: typeAt(told.types, asked.path[0] ?? ''), types: typesByUid(told.types) },
      ...{ origin: site.at, at: told.at, ask: '/explorer/ask', role: '', isNamed: false, hasToken: false },
      ...who,
    })
    return code ?? 'none'
  }

  // spec/extensions/client/types.spec.ts compiles the code for the typed client.
  it('sends letters of any alphabet from a shell', async () => {
    const code = codeFor('curl', '/api/articles?filters[title]=Bakers’ hours&fields=title')
    expect(code).toMatch(/^[ -~]*$/)
    const { stdout } = await promisify(execFile)('sh', ['-c', code])
    expect(JSON.parse(stdout)).toMatchObject({ data: [{ title: 'Bakers’ hours' }] })
  })

  it('names the asker that the host has named, instead of a role', () => {
    const code = codeFor('in-process', '/api/tags', { role: 'Inês, a writer', isNamed: true })
    expect(code).toContain(`api.as(roles['Inês, a writer']).find('tags')`)
  })

  it('is empty for paths above the API', () => {
    expect(codeFor('curl', '/api/../explorer/types')).toBe('none')
  })
})
