import { onSqlite } from '../../support/databases'
import { rowsOf, seededMagazine } from './magazine'

const joinColumns = ['entity_id', 'cmp_id', 'component_type', 'field', 'order']

onSqlite((database) => {
  describe('components and zones', () => {
    // articles: 1 draft, 2 published. pages: 1 draft, 2 published.
    const { world } = seededMagazine(database, {
      article: {
        title: 'One',
        seo: {
          metaTitle: 'Seo',
          metaImage: 'photo',
          metaSocial: [{ title: 'Card', link: { label: 'Home', page: 'home' } }],
        },
        quotes: [{ title: 'First' }, { title: 'Second', speaker: 'ada' }],
      },
      page: {
        $ref: 'home',
        title: 'Home',
        sections: [
          { __component: 'shared.quote', title: 'In a zone' },
          { __component: 'shared.rich-text', body: '# Text' },
          { __component: 'shared.quote', title: 'Again' },
        ],
      },
      author: [{ $ref: 'ada', name: 'Ada' }],
      file: [{ $ref: 'photo', name: 'photo.jpg' }],
    })

    it('are rows of their own for the draft and for the published row', async () => {
      expect(await rowsOf(world.knex, 'components_shared_seos', 'id', 'meta_title')).toEqual([
        [1, 'Seo'],
        [2, 'Seo'],
      ])
    })

    it('have no order when single, and count from one when they repeat', async () => {
      expect(await rowsOf(world.knex, 'articles_cmps', ...joinColumns)).toEqual([
        [1, 1, 'shared.seo', 'seo', null],
        [1, 1, 'shared.quote', 'quotes', 1],
        [1, 2, 'shared.quote', 'quotes', 2],
        [2, 2, 'shared.seo', 'seo', null],
        [2, 3, 'shared.quote', 'quotes', 1],
        [2, 4, 'shared.quote', 'quotes', 2],
      ])
    })

    it('nest through tables of their own', async () => {
      expect(await rowsOf(world.knex, 'components_shared_seos_cmps', ...joinColumns)).toEqual([
        [1, 1, 'shared.meta-social', 'metaSocial', 1],
        [2, 2, 'shared.meta-social', 'metaSocial', 1],
      ])
      expect(await rowsOf(world.knex, 'components_shared_meta_socials_cmps', ...joinColumns)).toEqual([
        [1, 1, 'shared.link', 'link', null],
        [2, 2, 'shared.link', 'link', null],
      ])
    })

    it('of several kinds keep the order of the zone', async () => {
      const rows = await rowsOf(world.knex, 'pages_cmps', ...joinColumns)
      expect(rows.filter(([entity]) => entity === 1)).toEqual([
        [1, 5, 'shared.quote', 'sections', 1],
        [1, 1, 'shared.rich-text', 'sections', 2],
        [1, 6, 'shared.quote', 'sections', 3],
      ])
    })

    it('link as the row does that holds them: a draft’s to drafts', async () => {
      expect(await rowsOf(world.knex, 'components_shared_links_page_lnk', 'link_id', 'page_id')).toEqual([
        [1, 1],
        [2, 2],
      ])
      expect(
        await rowsOf(world.knex, 'components_shared_quotes_speaker_lnk', 'quote_id', 'author_id'),
      ).toEqual([
        [2, 1],
        [4, 1],
      ])
    })

    it('have the document id of their place, which a draft and its published row share', async () => {
      const ids = (await rowsOf(world.knex, 'components_shared_quotes', 'document_id')).flat()
      expect(ids[0]).toMatch(/^[a-z][a-z0-9]{23}$/)
      expect([ids[2], ids[3]]).toEqual([ids[0], ids[1]])
      expect(new Set(ids).size).toBe(4)
    })

    it('hold files by their component name', async () => {
      const columns = ['file_id', 'related_id', 'related_type', 'field', 'order']
      expect(await rowsOf(world.knex, 'files_related_mph', ...columns)).toEqual([
        [1, 1, 'shared.seo', 'metaImage', 1],
        [1, 2, 'shared.seo', 'metaImage', 1],
      ])
    })
  })

  describe('media', () => {
    const { world } = seededMagazine(database, {
      file: [
        {
          $ref: 'photo',
          url: '/uploads/photo_1_c97b6.jpg',
          formats: { small: { url: '/uploads/small.jpg' } },
        },
        { $ref: 'plan', name: 'a plan.PDF', mime: 'application/x-plan', size: 12.5 },
      ],
      article: {
        title: 'One',
        cover: { name: 'inline.png', width: 10, height: 20 },
        gallery: ['plan', 'photo', 'plan'],
        $locales: { fr: { title: 'Un' } },
      },
    })
    const uses = async (field: string): Promise<unknown[][]> => {
      const rows = await rowsOf(world.knex, 'files_related_mph', 'file_id', 'related_id', 'field', 'order')
      return rows.filter((row) => row[2] === field).map(([file, article, , order]) => [file, article, order])
    }

    it('get from their name what Strapi always stores', async () => {
      const columns = ['name', 'hash', 'ext', 'mime', 'url', 'provider', 'folder_path']
      const files = await rowsOf(world.knex, 'files', ...columns)
      expect(files).toEqual([
        [
          'photo_1_c97b6.jpg',
          'photo_1_c97b6',
          '.jpg',
          'image/jpeg',
          '/uploads/photo_1_c97b6.jpg',
          'local',
          '/',
        ],
        ['a plan.PDF', 'a_plan', '.PDF', 'application/x-plan', '/uploads/a_plan.PDF', 'local', '/'],
        ['inline.png', 'inline', '.png', 'image/png', '/uploads/inline.png', 'local', '/'],
      ])
    })

    it('written where they are used are one file for all rows of the entry', async () => {
      expect(await uses('cover')).toEqual([
        [3, 1, 1],
        [3, 2, 1],
        [3, 3, 1],
        [3, 4, 1],
      ])
    })

    it('keep their order, and may be used twice', async () => {
      expect((await uses('gallery')).filter(([, article]) => article === 4)).toEqual([
        [2, 4, 1],
        [1, 4, 2],
        [2, 4, 3],
      ])
    })
  })
})
