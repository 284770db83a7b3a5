import { ConfigError, type Extension, type RunningExtension } from '../../lib'
import { type Cached, serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const running = (name: string, start: () => RunningExtension): Extension => ({ name, start })

const isIn = ({ router }: Cached, hits: number): boolean => router.cache.stats().hits > hits

onSqlite((database) => {
  describe('an extension at work', () => {
    const { world } = stocked(database, library, {
      country: [{ name: 'UK' }],
      author: [{ name: 'Ada' }],
      book: [{ title: 'Dawn' }],
    })
    const on = { world, dialect: database.dialect }
    const permissions = { public: { find: '*' }, reader: { find: '*' } } as const

    it('starts once with the router, and ends with it', async () => {
      let [starts, ends] = [0, 0]
      const extension = running('counting', () => {
        starts += 1
        return {
          close: () => {
            ends += 1
            return Promise.resolve()
          },
        }
      })
      const { get, router } = await serveCached(on, { extensions: [extension] })
      expect([starts, ends]).toEqual([1, 0])
      await get('books')
      await router.close()
      expect([starts, ends]).toEqual([1, 1])
    })

    it('is named by the error if its start fails', async () => {
      const cause = new Error('no socket')
      const failing = running('failing', () => {
        throw cause
      })
      await expect(serveCached(on, { extensions: [failing] })).rejects.toMatchObject({
        message: 'the extension failing failed to start: no socket',
        cause,
      })
      const faults = [{ where: 'mine', problem: 'is wrong' }]
      const refusing = running('refusing', () => {
        throw new ConfigError(faults)
      })
      await expect(serveCached(on, { extensions: [refusing] })).rejects.toThrow(new ConfigError(faults))
    })

    it('lets ready() reject with what it misses in the database', async () => {
      const faults = [{ where: 'mine', problem: 'a table is missing' }]
      const extension = running('mine', () => ({ checkDatabase: () => Promise.resolve(faults) }))
      const { router } = await serveCached(on, { extensions: [extension] })
      await expect(router.ready()).rejects.toThrow(new ConfigError(faults))
    })

    it('adds headers to public bodies, read or cached, and to no others', async () => {
      const extension = running('labels', () => ({
        sharedHeaders: ({ tables }) => ({ 'X-Tables': [...tables()].sort().join(' ') }),
      }))
      const other = running('more', () => ({ sharedHeaders: () => ({ 'X-More': 'yes' }) }))
      const served = await serveCached(on, { permissions, extensions: [extension, other] })
      const { get, kept } = served
      const read = await get('books?populate=author')
      expect(read.headers).toMatchObject({ 'x-tables': 'authors books books_author_lnk', 'x-more': 'yes' })
      const { headers } = await kept('books?populate=author')
      expect(headers).toMatchObject({ 'x-tables': 'authors books books_author_lnk', 'x-more': 'yes' })
      expect((await get('books?populate=author', 'reader')).headers).not.toHaveProperty('x-tables')
      const missing = await get('books/none')
      expect([missing.status, missing.headers['x-tables']]).toEqual([404, undefined])
    })

    it('keeps a cached response valid as far as it says, by the tables that it was read from', async () => {
      const changed = new Set(['books'])
      const extension = running('follower', () => ({
        follower: {
          beside: 'null',
          learnState: () => Promise.resolve(),
          isStillValid: (_before, _now, { tables }) => [...tables].every((table) => !changed.has(table)),
          isFollowing: () => true,
          retainedWal: () => 7,
        },
      }))
      const served = await serveCached(on, { extensions: [extension] })
      const { get, kept, router } = served
      await kept('authors')
      await kept('books')
      await world.knex('books').update({ title: 'Dusk' })
      const { hits } = router.cache.stats()
      expect((await get('books')).body).toContain('Dusk')
      expect(isIn(served, hits)).toBe(false)
      expect((await get('authors')).body).toContain('Ada')
      expect(isIn(served, hits)).toBe(true)
      expect(router.cache.stats()).toMatchObject({ isFollowing: true, retainedWal: 7 })
    })

    it('is refused as the second that follows the database', async () => {
      const follower = {
        beside: 'null',
        learnState: () => Promise.resolve(),
        isStillValid: () => false,
        isFollowing: () => false,
      }
      const extensions = ['one', 'two'].map((name) => running(name, () => ({ follower })))
      await expect(serveCached(on, { extensions })).rejects.toThrow(
        'extensions: only one extension can follow commits',
      )
    })

    it('reports faults of its options with all others', async () => {
      const check = (): { where: string; problem: string }[] => [
        { where: 'mine.size', problem: 'is no number' },
      ]
      const served = serveCached(on, { extensions: [{ name: 'mine', check }], timeout: 0 })
      await expect(served).rejects.toThrow(/timeout: [^]*mine\.size: is no number/)
    })
  })
})
