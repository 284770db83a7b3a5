import { crowd } from '../support/crowd'
import { eachDatabase } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

const links = 12
const far = `genres?filters${'[parent]'.repeat(links)}[name]=Prose&fields=name`

eachDatabase((database) => {
  const { world, serve } = stocked(database, library, { genre: [{ name: 'Prose' }] })

  it('ids that one statement hands on to another are bounded, before more of them are kept', async () => {
    const { knex } = world
    const { get } = serve({ query: { maxCost: Infinity }, timeout: 60_000 })
    await crowd(knex, 'genres', 250_001)
    await knex('genres').update({ name: 'Prose', published_at: knex.fn.now() })
    // Each is its own parent.
    const own = knex('genres').select('id', 'id')
    await knex(knex.raw('?? (??, ??)', ['genres_parent_lnk', 'genre_id', 'inv_genre_id'])).insert(own)
    const { status, text } = await get(far)
    expect([status, text]).toEqual([400, expect.stringContaining('leads on from more than 250000 entries')])
    await knex('genres_parent_lnk').where('genre_id', '>', 250_000).delete()
    expect((await get(far)).status).toBe(200)
  }, 240_000)
})
