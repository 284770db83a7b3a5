import { onSqlite } from '../../support/databases'
import { rowsOf, seededMagazine } from './magazine'

const published = { createdAt: '2024-01-01T00:00:00.000Z', publishedAt: '2024-01-02T00:00:00.000Z' }

onSqlite((database) => {
  describe('the rows of a document', () => {
    const { world, seeded } = seededMagazine(database, {
      $locales: ['en', 'fr'],
      article: [
        { $ref: 'both', title: 'Both', ...published, $locales: { fr: { title: 'Les deux' } } },
        { $ref: 'draft', title: 'Draft', $status: 'draft', ...published },
        { $ref: 'modified', title: 'Old', ...published, $draft: { title: 'New' } },
        {
          $ref: 'half',
          title: 'Half',
          ...published,
          $locales: { fr: { title: 'Moitié', $status: 'draft' } },
        },
        { $ref: 'french', title: 'Seulement', $locale: 'fr', $status: 'draft' },
      ],
      category: [{ $ref: 'plain', name: 'Plain', documentId: 'abcdefghijklmnopqrstuvwx' }],
      tag: [{ $ref: 'one', name: 'one' }, { name: 'nameless' }, { name: 'nameless too' }],
    })

    const facts = async (ref: string): Promise<unknown[]> => {
      const { documentId } = seeded().entry('article', ref)
      const rows = (await world.knex('articles').where({ document_id: documentId }).orderBy('id')) as {
        title: string
        locale: string
        published_at: unknown
      }[]
      return rows.map(({ title, locale, published_at }) => [
        title,
        locale,
        published_at === null ? 'draft' : 'published',
      ])
    }

    it('are a draft and a published one in every locale, in this order', async () => {
      expect(await facts('both')).toEqual([
        ['Both', 'en', 'draft'],
        ['Both', 'en', 'published'],
        ['Les deux', 'fr', 'draft'],
        ['Les deux', 'fr', 'published'],
      ])
    })

    it('are one row for a draft that was never published', async () => {
      expect(await facts('draft')).toEqual([['Draft', 'en', 'draft']])
    })

    it('differ where a draft was changed after it was published', async () => {
      expect(await facts('modified')).toEqual([
        ['New', 'en', 'draft'],
        ['Old', 'en', 'published'],
      ])
    })

    it('can be published in one locale and a draft in another', async () => {
      expect(await facts('half')).toEqual([
        ['Half', 'en', 'draft'],
        ['Half', 'en', 'published'],
        ['Moitié', 'fr', 'draft'],
      ])
    })

    it('have a draft that is younger than its published row exactly when it was modified', async () => {
      const later = await world
        .knex('articles as draft')
        .join('articles as published', (on) =>
          on.on('draft.document_id', 'published.document_id').andOn('draft.locale', 'published.locale'),
        )
        .whereNull('draft.published_at')
        .whereNotNull('published.published_at')
        .where('draft.updated_at', '>', world.knex.ref('published.updated_at'))
        .select('draft.title')
      expect(later).toEqual([{ title: 'New' }])
    })

    it('can be in a locale other than the default one only', async () => {
      expect(await facts('french')).toEqual([['Seulement', 'fr', 'draft']])
    })

    it('have no locale where the type is not localized', async () => {
      expect(await rowsOf(world.knex, 'categories', 'document_id', 'locale')).toEqual([
        ['abcdefghijklmnopqrstuvwx', null],
        ['abcdefghijklmnopqrstuvwx', null],
      ])
    })

    it('are one published row where the type has no drafts', async () => {
      const rows = await rowsOf(world.knex, 'tags', 'id', 'name', 'locale', 'published_at')
      expect(rows.map(([id, name, locale, at]) => [id, name, locale, at !== null])).toEqual([
        [1, 'one', null, true],
        [2, 'nameless', null, true],
        [3, 'nameless too', null, true],
      ])
    })

    it('have document ids of 24 small letters and digits, one a document', async () => {
      const ids = (await rowsOf(world.knex, 'tags', 'document_id')).flat()
      for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]{23}$/)
      expect(new Set(ids).size).toBe(3)
    })

    it('are told to whoever seeded them', async () => {
      const { documentId, rows } = seeded().entry('article', 'modified')
      expect(rows).toEqual([
        { id: 6, locale: 'en', status: 'draft' },
        { id: 7, locale: 'en', status: 'published' },
      ])
      expect(await world.knex('articles').where({ id: 7 }).select('document_id')).toEqual([
        { document_id: documentId },
      ])
      expect(() => seeded().entry('article', 'unheard of')).toThrow(
        'The content has no article with the $ref unheard of',
      )
    })

    it('leave the next id to the host', async () => {
      await world.knex('tags').insert({ document_id: 'zzzzzzzzzzzzzzzzzzzzzzzz', name: 'of the host' })
      expect((await rowsOf(world.knex, 'tags', 'id', 'name')).at(-1)).toEqual([4, 'of the host'])
    })
  })

  describe('the locales', () => {
    const { world } = seededMagazine(database, {
      $locales: ['pt-BR', 'en'],
      article: { title: 'Um', $locales: { en: { title: 'One' } } },
    })

    it('are registered in the order in which they are declared', async () => {
      expect(await rowsOf(world.knex, 'i18n_locale', 'id', 'code', 'name')).toEqual([
        [1, 'pt-BR', 'Brazilian Portuguese (pt-BR)'],
        [2, 'en', 'English (en)'],
      ])
    })

    it('have the first as default, which Strapi keeps as JSON text', async () => {
      const settings = world.knex('strapi_core_store_settings').where({ key: 'plugin_i18n_default_locale' })
      expect(await settings.select('value', 'type')).toEqual([{ value: '"pt-BR"', type: 'string' }])
    })

    it('give an entry the default one', async () => {
      const rows = await rowsOf(world.knex, 'articles', 'title', 'locale')
      expect(rows.map(([title, locale]) => `${String(title)} ${String(locale)}`)).toEqual([
        'Um pt-BR',
        'Um pt-BR',
        'One en',
        'One en',
      ])
    })
  })
})
