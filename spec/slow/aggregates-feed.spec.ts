import { aggregates } from '../../extensions/aggregate'
import { testDatabase, describeOn } from '../support/databases'
import { onFollowedLibrary } from '../support/feed'

// A cached aggregate must be read again after a commit to each table that it joins, and only then.

jest.setTimeout(120_000)

describeOn(['postgres'], ['an installed PostgreSQL'])('aggregates with a feed on %s', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const options = {
    permissions: { public: { find: '*', aggregate: '*' } },
    extensions: [aggregates()],
  } as const

  it.each([
    'books/aggregate?aggregate[count]=true&groupBy=author.name,genres.name',
    'books?facets=author.name,genres.name&fields=title',
  ])('%s', async (path) => {
    const served = await followed.serve(options)
    await followed.keepsAgain(served, path)
    for (const [table, from, to] of [
      ['authors', 'Ada', 'Eve'],
      ['genres', 'Essay', 'Crime'],
    ] as const) {
      await followed.world.knex(table).where({ name: from }).update({ name: to })
      const { body } = await served.get(path)
      expect([table, body.includes(to), body.includes(from)]).toEqual([table, true, false])
      await followed.world.knex(table).where({ name: to }).update({ name: from })
      expect((await served.get(path)).body).toContain(from)
    }
    await followed.keepsAgain(served, path)
  })

  it('facets are read again after a change of an entry on another page', async () => {
    await followed.world
      .knex('books')
      .insert({ document_id: 'second', title: 'Second', published_at: new Date() })
    const served = await followed.serve(options)
    const path = 'books?facets=title&pagination[pageSize]=1'
    await followed.keepsAgain(served, path)
    await followed.world.knex('books').where({ title: 'Second' }).update({ title: 'Last' })
    expect((await served.get(path)).body).toContain('Last')
  })
})
