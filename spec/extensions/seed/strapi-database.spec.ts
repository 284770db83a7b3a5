import { seed } from '../../../extensions/seed'
import { onSqlite } from '../../support/databases'
import { configOf } from './magazine'

onSqlite((database) => {
  describe('a database that Strapi made', () => {
    const world = database.restored()
    const highest = new Map<string, number>()
    const idOf = (table: string, added: number): number => (highest.get(table) ?? NaN) + added

    beforeAll(async () => {
      for (const table of ['articles', 'authors', 'components_shared_seos']) {
        const rows: readonly { id?: number }[] = await world.knex(table).max('id as id')
        highest.set(table, rows[0]?.id ?? NaN)
      }
      await seed(configOf(world), {
        author: { $ref: 'new', name: 'New' },
        article: {
          title: 'New',
          author: 'new',
          seo: { metaTitle: 'New' },
          $locales: { fr: { title: 'Nouveau' } },
        },
      })
    }, 60_000)

    it('goes on with its ids', async () => {
      const rows = await world
        .knex('articles')
        .where('id', '>', idOf('articles', 0))
        .orderBy('id')
        .select('id', 'title')
      expect(rows).toEqual([
        { id: idOf('articles', 1), title: 'New' },
        { id: idOf('articles', 2), title: 'New' },
        { id: idOf('articles', 3), title: 'Nouveau' },
        { id: idOf('articles', 4), title: 'Nouveau' },
      ])
      const links = await world
        .knex('articles_author_lnk')
        .where({ author_id: idOf('authors', 1) })
        .orderBy('id')
      expect(
        links.map(({ article_id, article_ord }: Record<string, unknown>) => [article_id, article_ord]),
      ).toEqual([
        [idOf('articles', 1), 1],
        [idOf('articles', 2), 2],
        [idOf('articles', 3), 3],
        [idOf('articles', 4), 4],
      ])
    })

    it('gets no document id for components, as its tables have none', async () => {
      const rows: readonly unknown[] = await world
        .knex('components_shared_seos')
        .where({ id: idOf('components_shared_seos', 1) })
      expect(rows[0]).toMatchObject({ meta_title: 'New' })
      expect(rows[0]).not.toHaveProperty('document_id')
    })

    it('keeps its locales and its default locale', async () => {
      const codes = (await world.knex('i18n_locale').orderBy('id').pluck('code')) as string[]
      expect(codes.filter((code) => code === 'en' || code === 'fr')).toEqual(['en', 'fr'])
      const settings = world.knex('strapi_core_store_settings').where({ key: 'plugin_i18n_default_locale' })
      expect(await settings.pluck('value')).toEqual(['"en"'])
    })
  })
})
