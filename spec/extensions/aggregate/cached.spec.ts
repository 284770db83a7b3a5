import { aggregates } from '../../../extensions/aggregate'
import { type Cached, serveCached } from '../../support/cached'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { stocked } from '../../support/served'
import { tagOf } from '../../support/tags'

const aggregate = 'books/aggregate?aggregate[count]=true&groupBy=author.name'
const facets = 'books?facets=author.name&pagination[pageSize]=1'

onSqlite((database) => {
  const { world } = stocked(database, library, {
    author: [
      { $ref: 'ada', name: 'Ada' },
      { $ref: 'bo', name: 'Bo' },
    ],
    book: [
      { title: 'Dawn', year: 1, author: 'ada' },
      { title: 'Dusk', year: 2, author: 'ada' },
      { title: 'Noon', year: 3, author: 'bo' },
    ],
  })
  const serve = (): Promise<Cached> =>
    serveCached(
      { world, dialect: database.dialect },
      {
        permissions: {
          public: { find: '*', aggregate: '*' },
          large: { find: '*', aggregate: { book: { minGroup: 2 } } },
          late: { find: { book: { where: { year: { $gt: 1 } } }, author: true }, aggregate: '*' },
          reader: { find: '*' },
        },
        extensions: [aggregates()],
        logger: false,
      },
    )

  describe.each([aggregate, facets])('%s', (path) => {
    it('comes from the cache until something is committed', async () => {
      const { get, kept, router } = await serve()
      const first = await kept(path)
      expect(first.status).toBe(200)
      expect((await get(path)).body).toBe(first.body)
      await world.knex('authors').where({ name: 'Bo' }).update({ name: 'Bob' })
      const { hits } = router.cache.stats()
      const changed = await get(path)
      expect(router.cache.stats().hits).toBe(hits)
      expect(changed.body).toContain('Bob')
      await world.knex('authors').where({ name: 'Bob' }).update({ name: 'Bo' })
    })

    it('is a 304 for its ETag until something is committed', async () => {
      const { get } = await serve()
      const etag = await tagOf(get, path, 0)
      const same = await get(path, 'public', { 'If-None-Match': etag })
      expect([same.status, same.body]).toEqual([304, ''])
      await world.knex('authors').where({ name: 'Bo' }).update({ name: 'Bob' })
      const changed = await get(path, 'public', { 'If-None-Match': etag })
      expect([changed.status, changed.headers.etag === etag]).toEqual([200, false])
      await world.knex('authors').where({ name: 'Bob' }).update({ name: 'Bo' })
    })

    it('of one role is never that of another', async () => {
      const { get, kept } = await serve()
      const bodies = new Set<string>()
      for (const role of ['public', 'large', 'late']) bodies.add((await kept(path, role)).body)
      expect(bodies.size).toBe(3)
      const etag = await tagOf(get, path, 0)
      expect((await get(path, 'large', { 'If-None-Match': etag })).status).toBe(200)
      expect((await get(path, 'reader', { 'If-None-Match': etag })).status).toBe(403)
    })
  })
})
