import { onSqlite } from '../../support/databases'
import { rowsOf, seededMagazine } from './magazine'

onSqlite((database) => {
  describe('relations between drafts and published rows', () => {
    // articles: 1 draft en, 2 published en, 3 draft fr, 4 published fr; 5 draft en; 6 draft en, 7 published en.
    const { world } = seededMagazine(database, {
      article: [
        {
          $ref: 'first',
          title: 'First',
          author: 'ada',
          category: 'news',
          tags: ['a', 'b'],
          relatedArticles: ['never', 'second'],
          sequel: 'second',
          $locales: { fr: { title: 'Premier', tags: ['b'] } },
        },
        { $ref: 'never', title: 'Never published', author: 'ada', category: 'hidden', $status: 'draft' },
        { $ref: 'second', title: 'Second', category: 'hidden' },
      ],
      author: [{ $ref: 'ada', name: 'Ada' }],
      // categories: 1 draft, 2 published; 3 draft; 4 draft, 5 published.
      category: [
        { $ref: 'news', name: 'News' },
        { $ref: 'hidden', name: 'Hidden', $status: 'draft', parent: 'news' },
        { $ref: 'local', name: 'Local', parent: 'news' },
      ],
      tag: [
        { $ref: 'a', name: 'a' },
        { $ref: 'b', name: 'b' },
      ],
    })

    it('lead from both rows to the one row of a type without drafts, and number its articles', async () => {
      expect(
        await rowsOf(world.knex, 'articles_author_lnk', 'article_id', 'author_id', 'article_ord'),
      ).toEqual([
        [1, 1, 1],
        [2, 1, 2],
        [3, 1, 3],
        [4, 1, 4],
        [5, 1, 5],
      ])
    })

    it('lead from draft to draft and from published to published, or nowhere', async () => {
      expect(await rowsOf(world.knex, 'articles_category_lnk', 'article_id', 'category_id')).toEqual([
        [1, 1],
        [2, 2],
        [3, 1],
        [4, 2],
        [5, 3],
        [6, 3],
      ])
    })

    it('keep the order of both sides of a many-to-many relation', async () => {
      const columns = ['article_id', 'tag_id', 'tag_ord', 'article_ord']
      expect(await rowsOf(world.knex, 'articles_tags_lnk', ...columns)).toEqual([
        [1, 1, 1, 1],
        [1, 2, 2, 1],
        [2, 1, 1, 2],
        [2, 2, 2, 2],
        [3, 2, 1, 3],
        [4, 2, 1, 4],
      ])
    })

    it('stay inside a locale between localized types, and have two orders within one type', async () => {
      const columns = ['article_id', 'inv_article_id', 'article_ord', 'inv_article_ord']
      expect(await rowsOf(world.knex, 'articles_related_articles_lnk', ...columns)).toEqual([
        [1, 5, 1, 1],
        [1, 6, 2, 1],
        [2, 7, 2, 1],
      ])
      expect(await rowsOf(world.knex, 'articles_sequel_lnk', 'article_id', 'inv_article_id')).toEqual([
        [1, 6],
        [2, 7],
      ])
    })

    it('number children under their parent', async () => {
      const columns = ['category_id', 'inv_category_id', 'category_ord']
      expect(await rowsOf(world.knex, 'categories_parent_lnk', ...columns)).toEqual([
        [3, 1, 1],
        [4, 1, 2],
        [5, 2, 1],
      ])
    })
  })

  describe('relations written from their other side', () => {
    const { world } = seededMagazine(database, {
      author: [{ $ref: 'ada', name: 'Ada', articles: ['second', 'first'] }],
      tag: [{ $ref: 'a', name: 'a', articles: ['second', 'first'] }],
      article: [
        { $ref: 'first', title: 'First', author: 'ada', $locales: { fr: { title: 'Premier', tags: [] } } },
        { $ref: 'second', title: 'Second', tags: ['a'] },
      ],
    })

    it('are one link with the relation they belong to, in the order that was written', async () => {
      const rows = await rowsOf(world.knex, 'articles_author_lnk', 'article_id', 'author_id', 'article_ord')
      expect(rows.sort()).toEqual([
        [1, 1, 2],
        [2, 1, 2],
        [3, 1, 3],
        [4, 1, 4],
        [5, 1, 1],
        [6, 1, 1],
      ])
      const tagged = await rowsOf(
        world.knex,
        'articles_tags_lnk',
        'article_id',
        'tag_id',
        'tag_ord',
        'article_ord',
      )
      expect(tagged.sort()).toEqual([
        [1, 1, 1, 2],
        [2, 1, 1, 2],
        [5, 1, 1, 1],
        [6, 1, 1, 1],
      ])
    })
  })

  describe('relations from a type without drafts to one with', () => {
    const { world } = seededMagazine(database, {
      country: [{ $ref: 'de', name: 'Germany' }],
      author: [{ $ref: 'ada', name: 'Ada', pinned: 'welcome', country: 'de' }],
      article: [{ $ref: 'first', title: 'First', comments: ['welcome'] }],
      page: [{ $ref: 'about', title: 'About', owners: ['ada'], mentionedIn: ['welcome'] }],
      comment: [
        { $ref: 'welcome', text: 'Welcome' },
        {
          text: 'On an article',
          subject: { article: 'first' },
          mentions: [{ author: 'ada' }, { page: 'about' }],
        },
      ],
    })

    it('lead to the draft and to the published row, from a list of any types', async () => {
      const columns = ['comment_id', 'mentions_id', 'mentions_type', 'field', 'order']
      const rows = await rowsOf(world.knex, 'comments_mentions_mph', ...columns)
      expect(rows.filter(([comment]) => comment === 2)).toEqual([
        [2, 1, 'api::author.author', null, 1],
        [2, 1, 'api::page.page', null, 2],
        [2, 2, 'api::page.page', null, 2],
      ])
    })

    it('carry the name of the attribute when they were written from the other side', async () => {
      const columns = ['comment_id', 'mentions_id', 'mentions_type', 'field', 'order']
      const rows = await rowsOf(world.knex, 'comments_mentions_mph', ...columns)
      expect(rows.filter(([comment]) => comment === 1)).toEqual([
        [1, 1, 'api::article.article', 'comments', 1],
        [1, 2, 'api::article.article', 'comments', 1],
        [1, 1, 'api::page.page', 'mentionedIn', 1],
        [1, 2, 'api::page.page', 'mentionedIn', 1],
      ])
    })

    it('put a single one of any type into the row itself, from either side', async () => {
      expect(await rowsOf(world.knex, 'comments', 'id', 'target_id', 'target_type')).toEqual([
        [1, 1, 'api::author.author'],
        [2, 2, 'api::article.article'],
      ])
    })

    it('write no order where the table has none', async () => {
      expect(await world.knex('pages_owners_lnk').orderBy('id')).toEqual([
        { id: 1, page_id: 1, author_id: 1, author_ord: 1 },
        { id: 2, page_id: 2, author_id: 1, author_ord: 1 },
      ])
    })
  })
})
