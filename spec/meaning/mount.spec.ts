import type { Express } from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import { expresses } from '../support/expresses'
import { library } from '../support/library'
import { stocked } from '../support/served'
import { onSqlite } from '../support/databases'

const query = 'books?filters[title][$in][0]=Dawn&filters[title][$in][1]=Dusk&populate[author][fields][0]=name'

type Setting = readonly [name: string, value: unknown]

const settings: readonly Setting[] = [
  ['query parser', 'simple'],
  ['query parser', 'extended'],
  ['query parser', false],
  ['query parser', () => ({ filters: { title: 'Dusk' } })],
  ['etag', false],
  ['etag', 'weak'],
  ['etag', 'strong'],
  ['json spaces', 2],
  ['json escape', true],
  ['json replacer', () => 'replaced'],
  ['strict routing', true],
  ['case sensitive routing', true],
  ['x-powered-by', false],
  ['trust proxy', true],
]

describe.each(expresses)('under Express %s', (_, express) => {
  onSqlite((database) => {
    const { world } = stocked(database, library, {
      author: [{ $ref: 'ada', name: 'Ada' }],
      book: [{ title: 'Dawn', author: 'ada' }, { title: 'Dusk' }, { title: 'Noon' }],
    })
    const make = (options: Partial<ContentRouterConfig> = {}): ContentRouter =>
      world.closing(
        contentRouter({
          contentTypes: library,
          database: world.config,
          permissions: { public: { find: '*' } },
          ...options,
        }),
      )
    const titles = async (app: Express, path: string): Promise<unknown[]> => {
      const { body } = (await request(app).get(path).expect(200)) as { body: { data: { title: string }[] } }
      return body.data.map(({ title }) => title)
    }
    let shared: ContentRouter
    let expected: string

    beforeAll(async () => {
      shared = make()
      expected = (await request(express().use('/api', shared)).get(`/api/${query}`).expect(200)).text
    })

    it('answers as the specification says', () => {
      const { data } = JSON.parse(expected) as { data: object[] }
      expect(data).toMatchObject([
        { title: 'Dawn', author: { name: 'Ada' } },
        { title: 'Dusk', author: null },
      ])
      expect(data).toHaveLength(2)
    })

    it.each(settings)('answers the same whatever the setting %s is: %p', async (name, value) => {
      const app = express().set(name, value).use('/api', shared)
      const response = await request(app).get(`/api/${query}`).expect(200)
      expect(response.text).toBe(expected)
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
      const refused = await request(app).get('/api/books?filters[nope]=1').expect(400)
      expect(refused.text).toContain('"path":"filters.nope"')
    })

    it('answers the same behind body parsers and other middleware', async () => {
      const app = express()
        .use(express.json(), express.urlencoded({ extended: true }))
        .use('/api', (_req, _res, next) => {
          next()
        })
        .use('/api', shared)
      expect((await request(app).get(`/api/${query}`)).text).toBe(expected)
    })

    it.each(['/api', '/deep/er/still', '/'])('can be mounted at %s', async (path) => {
      const app = express().use(path, shared)
      expect((await request(app).get(`${path === '/' ? '' : path}/${query}`)).text).toBe(expected)
    })

    it('can be mounted below another router, and below another app', async () => {
      const between = express.Router().use('/v1', shared)
      const app = express().use('/api', between).use('/sub', express().use('/app', shared))
      expect((await request(app).get(`/api/v1/${query}`)).text).toBe(expected)
      expect((await request(app).get(`/sub/app/${query}`)).text).toBe(expected)
    })

    it('takes a trailing slash and another case of the letters of a path', async () => {
      const app = express().use('/api', shared)
      expect((await request(app).get(`/api/${query.replace('?', '/?')}`)).text).toBe(expected)
      expect((await request(app).get(`/api/${query.replace('books', 'BOOKS')}`)).text).toBe(expected)
    })

    it('knows nothing of another router in the same process', async () => {
      const sized = make({ pagination: { defaultPageSize: 1 }, relations: 'wrapped' })
      const closed = make({ permissions: {} })
      const app = express().use('/all', shared).use('/one', sized).use('/none', closed)
      const [all, one, none] = await Promise.all(
        ['/all', '/one', '/none'].map((path) => request(app).get(`${path}/books?populate=author`)),
      )
      expect([all?.status, one?.status, none?.status]).toEqual([200, 200, 403])
      expect((all?.body as { data: unknown[] }).data).toHaveLength(3)
      expect((one?.body as { data: unknown[] }).data).toMatchObject([{ author: { data: { name: 'Ada' } } }])
    })

    it('leaves paths that are not its own to whoever comes next', async () => {
      const app = express().use('/api', shared)
      app.use((req, res) => {
        res.status(418).send(req.originalUrl)
      })
      for (const path of [
        '/api/nothing?x=1',
        '/api',
        '/api/books/a/b',
        '/other',
        '/api/files',
        '/api/shared.seo',
      ]) {
        const response = await request(app).get(path)
        expect([response.status, response.text]).toEqual([418, path])
      }
    })

    it('leaves the app it is mounted on as it is', async () => {
      const app = express()
      const before = { ...app.settings } as Record<string, unknown>
      app.use('/api', shared)
      await titles(app, '/api/books')
      expect({ ...app.settings }).toEqual(before)
    })

    it('finishes what it is answering before it closes', async () => {
      const closing: Promise<void>[] = []
      const router: ContentRouter = make({
        role: () => {
          closing.push(router.close())
          return 'public'
        },
      })
      const found = await titles(express().use('/api', router), '/api/books?populate=*')
      await Promise.all(closing)
      expect(closing).toHaveLength(1)
      expect(found).toEqual(['Dawn', 'Dusk', 'Noon'])
    })
  })
})
