import type { Database } from 'better-sqlite3'
import { knex as makeKnex } from 'knex'
import { onSqlite } from '../../support/databases'
import { keeping } from '../../support/hearing'
import { aggregatedBooks } from './books'

onSqlite((database) => {
  const { world, served, api, inProcess } = aggregatedBooks(database)

  describe('a read in the process', () => {
    const query = { groupBy: 'author.name', aggregate: { count: true } }

    it('returns the body of the response', async () => {
      const page = await api().page('books/aggregate?groupBy=author.name&aggregate[count]=true')
      expect(await inProcess().read('books', 'aggregate', query)).toEqual(page)
      const list = await api().page('books?facets=author.name')
      expect(await inProcess().find('books', { facets: 'author.name' })).toEqual(list)
    })

    it('fails like the response', async () => {
      await expect(inProcess('reader').read('books', 'aggregate', query)).rejects.toMatchObject({
        status: 403,
      })
      await expect(inProcess('reader').find('books', { facets: 'title' })).rejects.toMatchObject({
        status: 403,
      })
      await expect(inProcess().read('books', 'nothing', query)).rejects.toMatchObject({ status: 404 })
      await expect(inProcess().read('home', 'aggregate', query)).rejects.toMatchObject({ status: 404 })
      await expect(
        inProcess().read('books', 'aggregate', { ...query, groupBy: 'ledger' }),
      ).rejects.toMatchObject({
        status: 400,
        details: { path: 'groupBy.ledger' },
      })
    })
  })

  describe('a response', () => {
    const path = 'books/aggregate?aggregate[count]=true&groupBy=author.name'

    it('has the ETag of equal responses, and is of its role', async () => {
      const { get } = served({ cache: {} })
      const first = await get(path)
      const second = await get(path)
      expect(second.text).toBe(first.text)
      expect(second.headers['etag']).toBe(first.headers['etag'])
      expect(first.headers['etag']).toMatch(/^(W\/)?".+"$/)
      const other = await get(path, 'late')
      expect(other.text).not.toBe(first.text)
    })

    it('sends one statement, and facets one more each', async () => {
      const { sql, logger } = keeping()
      const { page } = served({ logger })
      const sentBy = async (query: string): Promise<number> => {
        await page(query)
        sql.length = 0
        await page(query)
        return sql.filter((text) => text.startsWith('select') && !/pragma|strapi_|data_version/i.test(text))
          .length
      }
      expect(await sentBy(path)).toBe(1)
      expect(
        await sentBy(`${path},genres.name&having[count][$gte]=1&aggregate[sum]=year&sort=sum.year`),
      ).toBe(1)
      const list = await sentBy('books')
      expect(await sentBy('books?facets=title')).toBe(list + 1)
      expect(await sentBy('books?facets=title,author.name,genres.name')).toBe(list + 3)
    })

    it('opens a transaction only if it needs a second statement', async () => {
      const prepared: string[] = []
      const afterCreate = (connection: Database, done: (error: null, connection: Database) => void): void => {
        const prepare = connection.prepare.bind(connection)
        connection.prepare = (sql: string) => {
          prepared.push(sql)
          return prepare(sql)
        }
        done(null, connection)
      }
      const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1, afterCreate } })
      world.closing({ close: () => knex.destroy() })
      const { page } = served({ database: knex })
      const { meta } = await page(path)
      expect([meta.pagination['total'], prepared.includes('begin')]).toEqual([3, false])
      const behind = await page(`${path}&pagination[page]=9`)
      expect([behind.data, behind.meta.pagination['total'], prepared.includes('begin')]).toEqual([
        [],
        3,
        true,
      ])
    })
  })
})
