import express, { type Express, type RequestHandler } from 'express'
import request from 'supertest'
import { contentRouter, type ContentRouterConfig } from '../../lib'
import { asStrapi } from '../support/as-strapi'
import { onSqlite } from '../support/databases'
import { expresses } from '../support/expresses'
import { collection, component, relation, single, text } from '../support/library'
import { type Entry, type Response, roleHeader, type Served, stocked } from '../support/served'
import { watching } from '../support/watching'

type Definitions = ContentRouterConfig['contentTypes']

const unique = { unique: true }

const types = [
  collection(
    'article',
    {
      title: text,
      slug: { type: 'uid' },
      code: { ...text, ...unique },
      mail: { type: 'email', ...unique },
      number: { type: 'integer', ...unique },
      big: { type: 'biginteger', ...unique },
      price: { type: 'decimal', ...unique },
      kind: { type: 'text', ...unique },
      loose: { ...text, unique: false },
      hidden: { type: 'uid', private: true },
      seo: single('shared.seo'),
      author: relation('manyToOne', 'author'),
    },
    { drafts: true, localized: true },
  ),
  collection('author', { name: text, handle: { type: 'uid' } }),
  collection('note', { name: text }),
  { ...collection('home', { slug: { type: 'uid' } }), kind: 'singleType' },
  component('shared.seo', { label: { type: 'uid' } }),
] as unknown as Definitions

const odd = [
  'a/b',
  '../etc',
  'v1.2.json',
  '100%',
  '%2F',
  'a b+c',
  'ümläut',
  '💥 boom 👩‍🚀',
  "o'neil\\n",
  '?x=1#y',
  ':slug',
  'by',
]

const content = {
  $locales: ['en', 'fr'],
  author: [{ $ref: 'ada', name: 'Ada', handle: 'ada' }],
  note: [{ name: 'n' }],
  home: { slug: 'home' },
  article: [
    {
      ...{
        title: 'Dawn',
        slug: 'dawn',
        code: 'D-1',
        mail: 'dawn@example.com',
        number: 7,
        price: 2,
        kind: 'k',
      },
      ...{ big: '9007199254740993', loose: 'l', hidden: 'canary', seo: { label: 'within' }, author: 'ada' },
      $locales: { fr: { title: 'Aube', slug: 'aube', code: 'D-2' } },
    },
    { title: 'Night', slug: 'night', number: -3, $status: 'draft' },
    { title: 'First', slug: 'twice', code: 'same' },
    { title: 'Alpha', slug: 'twice', code: 'same' },
    { title: 'Case', slug: 'DAWN' },
    ...odd.map((slug) => ({ title: slug, slug })),
  ],
}

const absent = {
  data: null,
  error: { status: 404, name: 'NotFoundError', message: 'Not Found', details: {} },
}

const answerOf = ({ status, body }: Response): { status: number; body: unknown } => ({ status, body })

const permissions: ContentRouterConfig['permissions'] = {
  public: { find: '*', findOne: '*' },
  editor: { find: '*', findOne: '*', drafts: '*' },
  lister: { find: '*', findOne: [] },
  reader: { find: ['article'], findOne: '*' },
}

onSqlite((database) => {
  const { world, serve } = stocked(database, types, content)
  let known: Served | undefined
  const api = (): Served => (known ??= serve({ permissions, notFound: 'json' }))
  const one = async (path: string, role?: string): Promise<Entry> =>
    (await api().page(path, role)).data as unknown as Entry
  const titleAt = async (path: string, role?: string): Promise<unknown> => (await one(path, role))['title']
  const statusOf = async (path: string, role?: string): Promise<number> =>
    (await api().get(path, role)).status

  describe('an entry by a unique attribute', () => {
    it.each(['slug/dawn', 'code/D-1', 'mail/dawn%40example.com', 'number/7', 'big/9007199254740993'])(
      'is the same as by its documentId: %s',
      async (which) => {
        const [found] = await api().list('articles?filters[title]=Dawn')
        const query = 'fields=title&populate=author'
        const alone = await api().get(`articles/${String(found?.['documentId'])}?${query}`)
        const response = await api().get(`articles/by/${which}?${query}`)
        expect([response.status, response.body]).toEqual([200, alone.body])
        expect(response.body).toMatchObject({ data: { title: 'Dawn', author: { name: 'Ada' } }, meta: {} })
      },
    )

    it.each(odd)('may have any characters in its value: %s', async (slug) => {
      expect(await titleAt(`articles/by/slug/${encodeURIComponent(slug)}`)).toBe(slug)
    })

    it.each([
      ...['articles/by/slug/none', 'articles/by/slug/dawn%00', 'articles/by/slug/%27%20or%201%3D1'],
      ...[
        'articles/by/number/x',
        'articles/by/number/7.0',
        'articles/by/number/0x7',
        'articles/by/number/7e0',
      ],
      ...[
        'articles/by/number/%207',
        'articles/by/number/2147483648',
        'articles/by/number/99999999999999999999',
      ],
      ...['articles/by/big/9007199254740992', 'articles/by/big/9223372036854775808', 'articles/by/big/9.0'],
    ])('is a 404 if no entry has or can have the value: %s', async (path) => {
      const { status, body } = answerOf(await api().get(path))
      expect([status, body]).toEqual([404, absent])
    })

    it.each(['articles/by/slug/%', 'articles/by/slug/%zz', 'articles/by/slug/%ED%A0%80'])(
      'is a 400 if the value cannot be decoded: %s',
      async (path) => {
        expect((await api().get(path)).body).toMatchObject({
          error: { status: 400, message: 'failed to decode' },
        })
      },
    )

    it.each([
      ...['title', 'loose', 'kind', 'price', 'id', 'documentId', 'locale', 'createdAt', 'author', 'seo'],
      ...['seo.label', 'label', 'hidden', 'Slug', 'nope', '__proto__', 'constructor', 'toString'],
    ])('is the same 404 for attributes that are not unique, private or unknown: %s', async (attribute) => {
      const values = ['Dawn', 'canary', '7', 'within']
      for (const value of values) {
        const { status, body } = answerOf(await api().get(`articles/by/${attribute}/${value}`, 'editor'))
        expect([status, body]).toEqual([404, absent])
      }
      // Methods that do not read are rejected before the role is known.
      const [other, own] = await Promise.all(
        [attribute, 'slug'].map((name) => request(api().app).post(`/api/articles/by/${name}/x`)),
      )
      expect([other?.status, other?.body]).toEqual([405, own?.body])
    })

    it.each([
      'notes/by/name/n',
      'home/by/slug/home',
      'articles/by/slug',
      'articles/by/slug/',
      'articles/by/slug/a/b',
    ])('is a 404 at other paths: %s', async (path) => {
      const { status, body } = answerOf(await api().get(path))
      expect([status, body]).toEqual([404, absent])
    })

    it('allows GET, HEAD and OPTIONS only', async () => {
      const path = '/api/articles/by/slug/dawn'
      const posted = await request(api().app).post(path)
      expect([posted.status, posted.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect((await request(api().app).options(path)).status).toBe(204)
      expect((await request(api().app).head(path)).status).toBe(200)
    })

    it('does not take the path of an entry whose documentId is `by`', async () => {
      await world.knex('authors').where({ handle: 'ada' }).update({ document_id: 'by' })
      expect(await one('authors/by')).toMatchObject({ documentId: 'by', name: 'Ada' })
      expect(await one('authors/by/handle/ada')).toMatchObject({ documentId: 'by', name: 'Ada' })
    })

    it('is found in the requested locale only', async () => {
      expect(await titleAt('articles/by/slug/aube?locale=fr')).toBe('Aube')
      expect(await statusOf('articles/by/slug/aube')).toBe(404)
      expect(await statusOf('articles/by/slug/dawn?locale=fr')).toBe(404)
      expect(await statusOf('articles/by/slug/dawn?locale=*')).toBe(404)
    })

    it('is a draft only for roles that may read drafts, and a 404 for others', async () => {
      const { body } = answerOf(await api().get('articles/by/slug/night'))
      expect(body).toEqual((await api().get('articles/by/slug/none')).body)
      expect((await api().get('articles/by/number/-3')).body).toEqual(absent)
      expect(await titleAt('articles/by/slug/night?status=draft', 'editor')).toBe('Night')
      expect(await titleAt('articles/by/number/-3?status=draft', 'editor')).toBe('Night')
      const refused = await Promise.all(
        ['night', 'none'].map((slug) => api().get(`articles/by/slug/${slug}?status=draft`)),
      )
      expect(refused.map(({ status }) => status)).toEqual([403, 403])
      expect(refused[0]?.body).toEqual(refused[1]?.body)
    })

    it('requires the findOne permission, and shows only what the role may read', async () => {
      for (const slug of ['dawn', 'none'])
        expect(await statusOf(`articles/by/slug/${slug}`, 'lister')).toBe(403)
      expect(await one('articles/by/slug/dawn?populate=author', 'reader')).not.toHaveProperty('author')
    })

    it('is the first visible entry if several have the value, whatever the sort', async () => {
      for (const query of ['', '?sort=title', '?sort=author.name:desc', '?status=draft'])
        expect(await titleAt(`articles/by/code/same${query}`, 'editor')).toBe('First')
      expect(await titleAt('articles/by/code/same?filters[title]=Alpha')).toBe('Alpha')
    })

    it('rejects the queries that an entry by its documentId rejects', async () => {
      for (const query of ['fields=nope', 'sort=nope', 'populate=hidden', 'filters[hidden]=canary']) {
        expect(await statusOf(`articles/by/slug/dawn?${query}`)).toBe(400)
      }
    })

    it('compares text as $eq does', async () => {
      expect(await titleAt('articles/by/slug/DAWN')).toBe('Case')
      expect(await titleAt('articles/by/slug/dawn')).toBe('Dawn')
      expect(await statusOf('articles/by/slug/Dawn')).toBe(404)
      const loose = serve({ permissions, textMatching: 'database' })
      const found = await loose.values('articles?filters[slug][$eq]=Dawn', 'title')
      const { status, body } = answerOf(await loose.get('articles/by/slug/Dawn'))
      expect(found[0]).toBe((body as { data: Entry | null }).data?.['title'])
      expect(status).toBe(found.length > 0 ? 200 : 404)
    })

    it('is never returned for another value', async () => {
      const slugs = ['dawn', 'twice', 'DAWN', ...odd, 'dawn']
      const entries = await Promise.all(
        slugs.map((slug) => one(`articles/by/slug/${encodeURIComponent(slug)}`)),
      )
      expect(entries.map(({ slug }) => slug)).toEqual(slugs)
      expect(await titleAt('articles/by/code/D-1')).toBe('Dawn')
      expect(await statusOf('articles/by/slug/D-1')).toBe(404)
    })

    it('works with the defaults of strapi5 and the response format of Strapi 4', async () => {
      const { app } = serve({ extensions: [asStrapi], permissions })
      const path = '/api/articles/by/number/7?populate=author'
      const { body } = answerOf(await request(app).get(path))
      expect(body).toMatchObject({ data: { title: 'Dawn', author: { name: 'Ada' } }, meta: {} })
      const older = answerOf(await request(app).get(path).set('Strapi-Response-Format', 'v4'))
      const author = { data: { attributes: { name: 'Ada' } } }
      expect(older.body).toMatchObject({ data: { attributes: { title: 'Dawn', author } }, meta: {} })
      const wrong = ['number/x', 'number/7.0', 'big/99999999999999999999', 'slug/none', 'title/Dawn']
      for (const which of wrong) {
        expect((await request(app).get(`/api/articles/by/${which}`)).status).toBe(404)
      }
    })
  })

  describe('the existence of a unique attribute', () => {
    const names = ['code', 'name', 'zz', '__proto__', '%ff']
    const gets = names.flatMap((name) =>
      ['x', '%ff', '%00'].map((value) => ['get', `${name}/${value}`] as const),
    )
    const asksBy = (methods: readonly string[]): (readonly [method: string, path: string])[] => [
      ...gets,
      ...methods.flatMap((method) => names.map((name) => [method, `${name}/x`] as const)),
    ]
    const asks = { json: asksBy(['head', 'options', 'post', 'put']), next: asksBy(['post']) }
    const roles = {
      shown: { find: { note: { fields: ['name'] } } },
      other: { find: ['author'] },
      nobody: {},
    } as const
    const withCode = (code: object): typeof types => {
      const note = collection('note', { name: text, code })
      return (types as readonly object[]).map((type, at) => (at === 2 ? note : type)) as typeof types
    }

    /** All that a client and an extension see of the requests. */
    async function seenBy(
      contentTypes: typeof types,
      notFound: 'json' | 'next',
    ): Promise<readonly unknown[]> {
      const heard: unknown[] = []
      const { app } = serve({
        ...{ contentTypes, notFound, permissions: roles },
        extensions: [
          watching(
            (event, { type }) => {
              if (event.kind === 'end') heard.push([type, event.status])
            },
            { seen: true },
          ),
        ],
      })
      app.use(((_req, res) => void res.status(404).send('the host')) satisfies RequestHandler)
      const server = app.listen(0)
      for (const role of Object.keys(roles)) {
        for (const [method, path] of asks[notFound]) {
          const asked = request(server)[method as 'get'](`/api/notes/by/${path}`).set(roleHeader, role)
          const { status, headers, text: body } = await asked
          const { date, 'x-request-id': id, ...others } = headers as Record<string, unknown>
          heard.push([role, method, path, status, others, body, typeof date, typeof id])
        }
      }
      server.close()
      return heard
    }

    it.each(['json', 'next'] as const)(
      'is not exposed to roles that may not read it: %s',
      async (notFound) => {
        const seen = await seenBy(types, notFound)
        expect(seen.length).toBeGreaterThan(asks[notFound].length * 3)
        for (const hidden of [{ type: 'uid' }, { ...text, ...unique }, { type: 'uid', private: true }, text])
          expect(await seenBy(withCode(hidden), notFound)).toEqual(seen)
      },
    )
  })

  describe.each(expresses)('an entry by a unique attribute, under Express %s', (_, version) => {
    let app: Express | undefined
    function host(): Express {
      const router = world.closing(
        contentRouter({
          ...{ contentTypes: types, database: world.config, logger: false },
          ...{ role: () => 'public', permissions: { public: { find: '*' } } },
        }),
      )
      const made = version().use('/api', router)
      return made.use(((_req, res) => void res.status(404).send('the host')) satisfies RequestHandler)
    }
    const get = (path: string): request.Test => request((app ??= host())).get(`/api/${path}`)

    it('accepts encoded slashes, and leaves other attributes to the host application', async () => {
      for (const slug of odd) {
        const { body } = answerOf(await get(`articles/by/slug/${encodeURIComponent(slug)}`))
        expect(body).toMatchObject({ data: { slug } })
      }
      expect((await get('articles/by/title/Dawn')).text).toBe('the host')
      expect((await get('articles/by/hidden/canary')).text).toBe('the host')
      expect((await get('articles/by/slug/%zz')).status).toBe(400)
    })
  })

  describe('paths without content', () => {
    const types = [
      collection('book', { title: text }),
      collection('author', { name: text }),
      { ...collection('home', { title: text }), kind: 'singleType' },
      component('shared.seo', { title: text }),
    ] as unknown as Definitions

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
      return app.use(((_req, res) => void res.status(404).send('the host')) satisfies RequestHandler)
    }

    const unknown = ['/api/book', '/api/books/a/b', '/api/plugin', '/api/nope?filters[a]=b', '/api', '/api/']

    describe.each(expresses)('unknown paths below the mount path, under Express %s', (_, version) => {
      let [plain, json]: (Express | undefined)[] = []
      const plainHost = (): Express => (plain ??= host({}, version))
      const jsonHost = (): Express => (json ??= host({ notFound: 'json' }, version))

      it.each(unknown)('are left to the host application: %s', async (path) => {
        expect((await request(plainHost()).get(path)).text).toBe('the host')
      })

      it.each(unknown)('are a 404 in JSON with notFound: json: %s', async (path) => {
        for (const response of [await request(jsonHost()).get(path), await request(jsonHost()).post(path)]) {
          expect([response.status, response.body]).toEqual([404, absent])
        }
      })

      it('outside the mount path are not handled', async () => {
        expect((await request(jsonHost()).get('/nope')).text).toBe('the host')
      })
    })
  })
})
