import { fromDatabase } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { stocked } from '../../support/served'

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ $ref: 'dawn', title: 'Dawn', author: 'ada' }],
  })

  describe('permissions from the tables of Strapi', () => {
    const roles = ['public', 'authenticated']

    async function grant(id: number, role: string, action: string): Promise<void> {
      await world.knex('up_permissions').insert({ id, action })
      const link = { permission_id: id, role_id: roles.indexOf(role) + 1, permission_ord: id }
      await world.knex('up_permissions_role_lnk').insert(link)
    }

    beforeAll(async () => {
      await world.knex('up_roles').insert(roles.map((type, index) => ({ id: index + 1, name: type, type })))
      await grant(1, 'public', 'api::book.book.find')
      await grant(2, 'authenticated', 'api::book.book.find')
      await grant(3, 'authenticated', 'api::author.author.find')
      await grant(4, 'authenticated', 'api::author.author.findOne')
      await grant(5, 'public', 'api::author.author.delete')
    })

    it('are granted to roles by their type, action by action', async () => {
      const { documentId } = seeded().entry('book', 'dawn')
      const { get, list } = serve({ permissions: fromDatabase() })
      expect((await get('books', 'public')).status).toBe(200)
      expect((await get('authors', 'public')).status).toBe(403)
      expect((await get('authors', 'authenticated')).status).toBe(200)
      expect((await get(`books/${documentId}`, 'authenticated')).status).toBe(403)
      expect((await list('books?populate=author', 'public'))[0]).not.toHaveProperty('author')
      expect((await list('books?populate=author', 'authenticated'))[0]).toHaveProperty('author')
    })

    it('are read again after maxAge, and not before', async () => {
      const brief = serve({ permissions: fromDatabase({ maxAge: 30 }) })
      const long = serve({ permissions: fromDatabase({ maxAge: 60_000 }) })
      expect((await brief.get('genres', 'public')).status).toBe(403)
      expect((await long.get('genres', 'public')).status).toBe(403)
      await grant(6, 'public', 'api::genre.genre.find')
      while ((await brief.get('genres', 'public')).status !== 200);
      expect((await long.get('genres', 'public')).status).toBe(403)
    })
  })
})
