import type { Knex } from 'knex'

import { crowd } from '../support/crowd'
import { eachDatabase } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'
import { anyConditions } from '../support/query-limits'

const free = { query: anyConditions, timeout: 60_000 }

eachDatabase((database) => {
  const { world, serve } = stocked(database, library, {
    genre: [{ name: 'Prose' }],
    book: [{ title: 'Notes' }],
  })

  /** So many that are published. */
  async function fill(table: string, rows: number): Promise<void> {
    await crowd(world.knex, table, rows)
    await world.knex(table).update({ published_at: world.knex.fn.now() })
  }

  /** What a database counts by itself comes when it likes: MariaDB took tables that were just filled for empty ones, and a minute. */
  async function link(table: string, columns: readonly string[], links: Knex.QueryBuilder): Promise<void> {
    const { knex } = world
    await knex(knex.raw('?? (??, ??)', [table, ...columns])).insert(links)
    const analyze = database.dialect === 'mysql' ? 'analyze table ??' : 'analyze ??'
    for (const filled of ['genres', 'books', table]) await knex.raw(analyze, [filled])
  }

  it('ids between two statements count once, however many links lead to them', async () => {
    const { knex } = world
    await fill('genres', 600)
    await fill('books', 450)
    await knex('books_genres_lnk').delete()
    const each = knex('books').crossJoin(knex.raw('genres')).select('books.id', 'genres.id')
    await link('books_genres_lnk', ['book_id', 'genre_id'], each)
    const { page } = serve(free)
    const { meta } = await page(`books?filters${'[genres][books]'.repeat(5)}[id][$gt]=0`)
    expect(meta.pagination['total']).toBe(450)
    await knex('books_genres_lnk').delete()
  }, 240_000)

  it('ids between two statements have a limit', async () => {
    const { knex } = world
    const far = `genres?filters${'[parent]'.repeat(10)}[name]=Prose&fields=name`
    await fill('genres', 250_001)
    await knex('genres').update({ name: 'Prose' })
    // Each is its own parent.
    const own = knex('genres').select('id', 'id')
    await link('genres_parent_lnk', ['genre_id', 'inv_genre_id'], own)
    const { get } = serve(free)
    const { status, text } = await get(far)
    expect([status, text]).toEqual([400, expect.stringContaining('leads on from more than 250000 entries')])
    await knex('genres_parent_lnk').where('genre_id', '>', 250_000).delete()
    expect((await get(far)).status).toBe(200)
  }, 240_000)
})
