import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { library } from '../support/library'
import { alone } from '../support/own-server'
import { stocked } from '../support/served'

const titles = ({ body }: { readonly body: string }): unknown[] =>
  (JSON.parse(body) as { readonly data: readonly { readonly title: string }[] }).data.map(
    ({ title }) => title,
  )

onSqlite((database) => {
  const { world } = stocked(alone(database), library, {
    genre: [
      { $ref: 'red', name: 'red' },
      { $ref: 'blue', name: 'blue' },
    ],
    book: [
      { $ref: 'both', title: 'both', genres: ['red', 'blue'] },
      { $ref: 'reds', title: 'reds', genres: ['red'] },
      { $ref: 'bare', title: 'bare' },
    ],
  })

  it('which of many is answered from memory until a link comes or goes', async () => {
    const { get, kept } = await serveCached({ world, dialect: database.dialect })
    const none = 'books?filters[genres][$none][name]=blue&sort=genres.$count&fields=title'
    const several = 'books?filters[genres][$count][$gte]=1&sort=genres.$count:desc&fields=title'
    expect(titles(await kept(none))).toEqual(['bare', 'reds'])
    expect(titles(await kept(several))).toEqual(['both', 'reds'])
    const bare: unknown = await world
      .knex('books')
      .where({ title: 'bare' })
      .whereNotNull('published_at')
      .first('id')
    const blue: unknown = await world.knex('genres').where({ name: 'blue' }).first('id')
    const link = { book_id: (bare as { id: number }).id, genre_id: (blue as { id: number }).id }
    await world.knex('books_genres_lnk').insert(link)
    expect(titles(await get(none))).toEqual(['reds'])
    expect(titles(await get(several))).toEqual(['both', 'reds', 'bare'])
    await world.knex('books_genres_lnk').where(link).delete()
    expect(titles(await get(none))).toEqual(['bare', 'reds'])
  })
})
