import { renameSync } from 'node:fs'
import { knex as makeKnex } from 'knex'
import type { RoleFunction } from '../../lib'
import type { Answer } from '../support/asker'
import { type Cached, serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, integer, library, relation, text } from '../support/library'
import { orderTypes } from '../support/orders'
import { type Page, roleHeader, type Served, stocked } from '../support/served'
import { watching } from '../support/watching'

interface Body {
  readonly data: readonly { readonly title?: unknown; readonly name?: unknown }[]
  readonly meta: { readonly pagination: { readonly total: number } }
}

const bodyOf = ({ body }: Pick<Answer, 'body'>): Body => JSON.parse(body) as Body

const titles = (answer: Pick<Answer, 'body'>): unknown[] =>
  bodyOf(answer).data.map(({ title, name }) => title ?? name)

const totalIn = (answer: Answer): number => bodyOf(answer).meta.pagination.total

onSqlite((database) => {
  describe('the cache', () => {
    const { world } = stocked(database, library, {
      country: [{ $ref: 'uk', name: 'UK' }],
      author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
      genre: [
        { $ref: 'red', name: 'red' },
        { $ref: 'blue', name: 'blue' },
      ],
      book: [{ title: 'Dawn', author: 'ada' }],
      memo: [
        { title: 'Hello', $locale: 'en' },
        { title: 'Hallo', $locale: 'de' },
      ],
    })
    const on = { world, dialect: database.dialect }
    const rename = async (title: string): Promise<void> => {
      await world.knex('books').update({ title })
    }

    it('answers from memory, byte for byte, until something is committed', async () => {
      const { get, kept, router } = await serveCached(on)
      await rename('Dawn')
      const first = await get('books?populate=author')
      const again = await kept('books?populate=author')
      expect(again.body).toBe(first.body)
      await rename('Dusk')
      expect(titles(await get('books?populate=author'))).toEqual(['Dusk'])
      expect(router.cache.stats().entries).toBe(1)
    })

    it('counts the bodies that newer ones replace in a full cache', async () => {
      const { kept, router } = await serveCached(on, { cache: { maxEntries: 2 } })
      await kept('books')
      await kept('authors')
      expect(router.cache.stats()).toMatchObject({ entries: 2, evictions: 0 })
      await kept('genres')
      expect(router.cache.stats()).toMatchObject({ entries: 2, evictions: 1 })
    })

    it('sees writes through the Knex instance that it reads from', async () => {
      const knex = makeKnex({ ...world.config, useNullAsDefault: true })
      const { get, kept } = await serveCached(on, { database: knex })
      await knex('books').update({ title: 'Noon' })
      expect(titles(await kept('books'))).toEqual(['Noon'])
      await knex('books').update({ title: 'Night' })
      expect(titles(await get('books'))).toEqual(['Night'])
      await knex.destroy()
    })

    it('shares responses between roles with the same permissions only', async () => {
      const find = ['book', 'author']
      const permissions = { public: { find }, guest: { find }, reader: { find: '*' } } as const
      const { get, kept, router } = await serveCached(on, { permissions })
      const path = 'books?populate[author][populate]=country'
      const first = await kept(path)
      expect((await get(path, 'guest')).body).toBe(first.body)
      const { misses } = router.cache.stats()
      const whole = await get(path, 'reader')
      expect(whole.body).toContain('UK')
      expect(first.body).not.toContain('UK')
      expect(router.cache.stats().misses).toBe(misses + 1)
      expect((await get(path)).body).toBe(first.body)
    })

    it('checks permissions before it answers', async () => {
      const { get, kept } = await serveCached(on, { permissions: { public: { find: ['book'] } } })
      await kept('books')
      expect((await get('books', 'stranger')).status).toBe(403)
      expect((await get('books', 'stranger', { 'If-None-Match': '*' })).status).toBe(403)
    })

    it('is emptied by clear()', async () => {
      const { kept, get, router } = await serveCached(on)
      await kept('books')
      router.cache.clear()
      const { hits, entries, bytes } = router.cache.stats()
      expect([entries, bytes]).toEqual([0, 0])
      await get('books')
      expect(router.cache.stats().hits).toBe(hits)
    })

    it('follows the default locale of the settings', async () => {
      const { kept, get } = await serveCached(on)
      expect(titles(await kept('memos'))).toEqual(['Hello'])
      const key = 'plugin_i18n_default_locale'
      const settings = world.knex('strapi_core_store_settings')
      await settings.clone().insert({ key, value: '"de"' })
      expect(titles(await get('memos'))).toEqual(['Hallo'])
      await settings.clone().where({ key }).update({ value: '"en"' })
      expect(titles(await get('memos'))).toEqual(['Hello'])
    })

    it('drops filters and sorts by counts when a link is added or removed', async () => {
      const { get, kept } = await serveCached(on)
      await world.knex('books').whereNotNull('published_at').update({ title: 'bare' })
      const none = 'books?filters[genres][$none][name]=blue&sort=genres.$count&fields=title'
      const several = 'books?filters[genres][$count][$gte]=1&sort=genres.$count:desc&fields=title'
      expect([titles(await kept(none)), titles(await kept(several))]).toEqual([['bare'], []])
      const idOf = async (table: string, where: object): Promise<number> =>
        (await world.knex(table).where(where).first<{ readonly id: number }>('id')).id
      const published = (await world.knex('books').whereNotNull('published_at').first<{ id: number }>('id'))
        .id
      const link = { book_id: published, genre_id: await idOf('genres', { name: 'blue' }) }
      await world.knex('books_genres_lnk').insert(link)
      expect([titles(await get(none)), titles(await get(several))]).toEqual([[], ['bare']])
      await world.knex('books_genres_lnk').where(link).delete()
      expect([titles(await get(none)), titles(await get(several))]).toEqual([['bare'], []])
    })

    it('reads from the database if the file was replaced', async () => {
      const { kept, get, router } = await serveCached(on)
      await kept('books')
      const { filename } = world.config.connection as { filename: string }
      renameSync(filename, `${filename}.old`)
      const { hits } = router.cache.stats()
      expect((await get('books')).status).toBe(200)
      renameSync(`${filename}.old`, filename)
      expect(router.cache.stats().hits).toBe(hits)
      expect((await get('books')).status).toBe(200)
      expect(router.cache.stats().hits).toBe(hits + 1)
    })
  })

  describe('a cache under rules', () => {
    const askers = 60
    const atOnce = 30
    const path = 'customers?fields=name'
    const permissions = {
      one: { find: { customer: { where: { id: { $asker: 'id' } } } } },
      owner: { find: { item: { where: { owner: { $asker: 'owner' } } } } },
      /** Compares with two values, which one may have and another has the other way round. */
      but: {
        find: {
          item: {
            where: { $and: [{ owner: { $asker: 'owner' } }, { title: { $ne: { $asker: 'other' } } }] },
          },
        },
      },
    }

    /** `one@17`, `owner@north`, `but@north but west`. */
    const role: RoleFunction = (req) => {
      const [name = '', who = ''] = (req.get(roleHeader) ?? '').split('@')
      const [owner = '', other] = who.split(' but ')
      return { roles: name, asker: name === 'one' ? { id: who } : { owner, other } }
    }

    const upTo = (count: number): number[] => [...Array(count).keys()]
    const { world } = stocked(database, orderTypes, {
      customer: upTo(askers).map((number) => ({ name: `Customer ${String(number + 1)}` })),
    })
    const on = { world, dialect: database.dialect }

    beforeAll(async () => {
      const items = (owner: string, count: number): object[] =>
        upTo(count).map((number) => ({ document_id: `${owner}${String(number)}`, title: owner, owner }))
      await world.knex.batchInsert('items', [...items('north', 3100), ...items('south', 3200)], 400)
    })

    describe.each([
      ['with a cache', { cache: {} }],
      ['without one', { cache: false, etag: true }],
    ] as const)('callers with rules, %s', (_, options) => {
      const { sql, logger } = keeping()
      let served: Cached

      beforeAll(async () => {
        served = await serveCached(on, { contentTypes: orderTypes, permissions, role, logger, ...options })
      })

      /** Of all of them, in no order, many at once. */
      async function askAll(
        tagFor: (number: number) => string | undefined = () => undefined,
      ): Promise<Answer[]> {
        const answers: Answer[] = []
        for (let from = 0; from < askers; from += atOnce) {
          const some = upTo(atOnce).map((one) => from + one)
          const asked = some.map((number) => {
            const tag = tagFor(number)
            return served.get(
              path,
              `one@${String(number + 1)}`,
              tag === undefined ? {} : { 'If-None-Match': tag },
            )
          })
          answers.push(...(await Promise.all(asked)))
        }
        return answers
      }

      const isOwn = (answer: Answer, number: number): void => {
        expect(answer.status).toBe(200)
        expect(bodyOf(answer).data).toMatchObject([
          { id: number + 1, name: `Customer ${String(number + 1)}` },
        ])
      }

      it('get their own rows, also from memory, and no 304 for the ETag of another', async () => {
        const tags: (string | undefined)[] = []
        for (let round = 0; round < 2; round += 1) {
          for (const [number, answer] of (await askAll()).entries()) {
            isOwn(answer, number)
            tags[number] ??= answer.headers.etag
            if (answer.headers.etag !== undefined) expect(answer.headers['cache-control']).toMatch(/^private/)
          }
        }
        const told = tags.filter((tag) => tag !== undefined)
        expect(told.length).toBeGreaterThan(0)
        expect(new Set(told).size).toBe(told.length)
        for (const [number, answer] of (await askAll((number) => tags[(number + 1) % askers])).entries())
          isOwn(answer, number)
      })

      it('share the text of statements', async () => {
        sql.length = 0
        await served.get(`${path}&sort=name`, 'one@1')
        await served.get(`${path}&sort=name`, 'one@2')
        expect(sql.length).toBeGreaterThan(1)
        expect(new Set(sql).size).toBe(sql.length / 2)
      })

      it('get totals of their own rows', async () => {
        for (let round = 0; round < 6; round += 1) {
          expect(
            totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@north')),
          ).toBe(3100)
          expect(
            totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@south')),
          ).toBe(3200)
          expect(
            totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@west')),
          ).toBe(0)
        }
      })

      it('differ if they have the same values under other names', async () => {
        for (let round = 0; round < 3; round += 1) {
          const asked = ['but@north but west', 'but@west but north']
          const [north, west] = await Promise.all(asked.map((who) => served.get('items', who)))
          expect([north, west].map((answer) => answer && totalIn(answer))).toEqual([3100, 0])
          expect(north?.headers.etag).not.toBe(west?.headers.etag ?? 'none')
        }
      })

      it('get private responses, even as public', async () => {
        // Who lacks the value is shown nothing, which is not to be told to who has it.
        for (const asker of [{ owner: 'north' }, {}])
          for (const shared of [{}, { customer: { shared: true } }, { item: { shared: true } }]) {
            const strangers = await serveCached(on, {
              ...{ contentTypes: orderTypes, role: () => ({ roles: 'public', asker }), ...options },
              permissions: { public: { find: { ...permissions.owner.find, customer: true } } },
              headers: { '*': { cacheControl: 'max-age=60' }, ...shared },
            })
            // That the values are the same for all is for the host to say, of the type that has the rule.
            const reach = 'item' in shared ? 'public' : 'private'
            for (const what of ['items', 'customers']) {
              const { headers } = await strangers.get(what)
              expect(headers['cache-control']).toBe(`${reach}, max-age=60`)
            }
          }
      })
    })
  })

  describe('totals', () => {
    const own = { place: integer, kind: text, big: { type: 'biginteger' } }

    const contentTypes = [
      collection('step', { ...own, next: relation('oneToOne', 'step') }),
      collection('secret', own),
    ] as never

    /** So many that their number is worth keeping. */
    const many = 3100
    const few = 100

    /** No double is this one. */
    const big = '9007199254740993'

    const rows = (from: number, to: number, kind: string): object[] =>
      Array.from({ length: to - from }, (_, index) => ({
        document_id: `d${String(from + index)}`,
        place: from + index + 1,
        kind,
        big,
      }))

    const isCount = (sql: string): boolean => sql.includes('count(')

    const total = ({ meta }: Page): number => meta.pagination['total'] ?? NaN

    /** A plain list, a filtered one that counts apart, one that counts while it sorts, and one with what takes more statements. */
    const ways = {
      plain: 'steps?pagination[pageSize]=2',
      filtered: 'steps?filters[kind]=odd&pagination[pageSize]=2',
      sorted: 'steps?filters[kind]=odd&sort=place:desc&pagination[pageSize]=2',
      big: `steps?filters[kind]=odd&filters[big]=${big}&pagination[pageSize]=2`,
      populated: 'steps?populate=next&pagination[pageSize]=2',
    } as const

    const { world, serve } = stocked(database, contentTypes, {})
    const { sql, logger } = keeping()
    let served: Served

    beforeAll(async () => {
      await world.knex.batchInsert('steps', rows(0, many, 'odd'), 400)
      await world.knex.batchInsert('steps', rows(many, many + few, 'even'), 400)
      await world.knex.batchInsert('secrets', rows(0, many, 'odd'), 400)
      served = serve({ logger, permissions: { public: { find: ['step'] }, other: { find: '*' } } })
    }, 60_000)

    const asked = async (path: string): Promise<{ readonly page: Page; readonly counts: number }> => {
      sql.length = 0
      const page = await served.page(path)
      return { page, counts: sql.filter(isCount).length }
    }

    /** Asks until an answer counts nothing, and returns it. */
    async function recalled(path: string): Promise<Page> {
      const end = Date.now() + 20_000
      for (;;) {
        const { page, counts } = await asked(path)
        if (counts === 0) return page
        if (Date.now() > end) throw new Error(`${path} is still counted after 20 seconds`)
      }
    }

    const stored = async (table: string, kind?: string): Promise<number> => {
      const found = world.knex(table).count({ count: '*' })
      const [row] = (await (kind === undefined ? found : found.where({ kind }))) as { count: unknown }[]
      return Number(row?.count)
    }

    it('are counted twice before they are cached', async () => {
      const fresh = serve({ logger })
      for (let times = 0; times < 2; times += 1) {
        sql.length = 0
        await fresh.page(ways.plain)
        expect(sql.filter(isCount)).toHaveLength(1)
      }
    })

    describe.each(Object.entries(ways))('the total of a list that is %s', (_, path) => {
      const expected = (): Promise<number> => stored('steps', path.includes('kind') ? 'odd' : undefined)

      it('is cached until something is committed', async () => {
        const first = await serve().page(path)
        expect(total(first)).toBe(await expected())
        expect(await recalled(path)).toEqual(first)
      })

      it('is right in the first response after a commit', async () => {
        for (const change of [
          () => world.knex('steps').insert(rows(9000, 9001, 'odd')),
          () => world.knex('steps').where({ place: 9001 }).delete(),
        ]) {
          await recalled(path)
          await change()
          expect(total(await served.page(path))).toBe(await expected())
        }
      })
    })

    it('differ by filter and by type', async () => {
      await recalled(ways.filtered)
      const other = serve({ logger, permissions: { public: { find: '*' } } })
      expect(total(await served.page('steps?filters[kind]=even&pagination[pageSize]=2'))).toBe(few)
      expect(total(await other.page('secrets?filters[kind]=odd&pagination[pageSize]=2'))).toBe(many)
      expect((await served.get('secrets?filters[kind]=odd&pagination[pageSize]=2')).status).toBe(403)
    })

    it('differ by big integers that are equal as doubles', async () => {
      await recalled(ways.big)
      expect(total(await served.page(ways.big.replace(big, '9007199254740992')))).toBe(0)
    })

    it.each([{ cache: {} }, { etag: true }])('are sent with the options %j', async (options) => {
      const page = await serve(options).page(ways.big)
      expect(total(page)).toBe(await stored('steps', 'odd'))
    })

    it('are not cached if they are small', async () => {
      const path = 'steps?filters[kind]=even&pagination[pageSize]=2'
      for (let times = 0; times < 5; times += 1) expect((await asked(path)).counts).toBe(1)
    })

    it('are counted if an extension adds to `meta`', async () => {
      await recalled(ways.plain)
      const sent: string[] = []
      const watched = watching(
        (event) => {
          if (event.kind === 'statement') sent.push(event.statement.sql)
        },
        { seen: true },
      )
      const of = serve({ logger, extensions: [watched] })
      for (let times = 0; times < 3; times += 1) {
        sent.length = 0
        const whole = await of.page(ways.plain)
        expect(whole.meta).toHaveProperty('seen', true)
        expect(sent.filter((sql) => sql.includes('count('))).toHaveLength(1)
        expect(total(whole)).toBe(many + few)
      }
    })

    it('are not cached from an open transaction on the same connection', async () => {
      const knex = makeKnex({ ...world.config, useNullAsDefault: true, pool: { min: 1, max: 1 } })
      world.closing({ close: () => knex.destroy() })
      const of = serve({ logger, database: knex })
      const before = await stored('steps')
      await knex.raw('begin')
      await knex('steps').insert(rows(9000, 9001, 'odd'))
      for (let times = 0; times < 3; times += 1) expect(total(await of.page(ways.plain))).toBe(before + 1)
      await knex.raw('rollback')
      expect(total(await of.page(ways.plain))).toBe(before)
    })
  })
})
