import { strapi5 } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { type Entry, type Served, stocked } from '../../support/served'

const types = [
  collection(
    'article',
    { title: text, topics: relation('manyToMany', 'topic', { inversedBy: 'articles' }) },
    { drafts: true },
  ),
  collection('topic', { name: text, articles: relation('manyToMany', 'article', { mappedBy: 'topics' }) }),
  collection(
    'ticket',
    { title: text, status: text, desk: relation('manyToOne', 'desk', { inversedBy: 'tickets' }) },
    { drafts: true },
  ),
  collection('desk', { name: text, tickets: relation('oneToMany', 'ticket', { mappedBy: 'desk' }) }),
] as unknown as Parameters<typeof stocked>[1]

// Strapi 5.54: the check of a sort (@strapi/utils, validate/validators) passes `status` where there are drafts, but asks
// of what is no scalar attribute that something stands behind it; sanitize/sanitizers then removes what is no attribute.
onSqlite((database) => {
  const { serve } = stocked(database, types, {
    topic: [{ $ref: 'sea', name: 'Sea' }],
    article: [
      { title: 'c', topics: ['sea'], $status: 'draft' },
      { title: 'a', topics: ['sea'] },
      { title: 'b', topics: ['sea'], $draft: { title: 'bb' } },
    ],
    desk: [{ $ref: 'one', name: 'One' }],
    ticket: [
      { title: 'x', status: 'open', desk: 'one' },
      { title: 'y', status: 'closed', desk: 'one' },
    ],
  })
  let [asStrapi, plain]: [Served?, Served?] = []
  const preset = (): Served => (asStrapi ??= serve({ extensions: [strapi5()] }))
  const strict = (): Served => (plain ??= serve({ drafts: 'open' }))
  const below = (entry: Entry | undefined, name: string): unknown[] =>
    (entry?.[name] as Entry[]).map(({ title }) => title)

  describe('sort=status, which Strapi keeps for its admin panel', () => {
    it.each(['sort=status:desc', 'sort[0]=status:asc', 'sort[status]=desc', 'sort=status:ASC'])(
      'sorts by nothing with the preset, as in Strapi: %s',
      async (query) => {
        expect(await preset().values(`articles?${query}`, 'title')).toEqual(['a', 'b'])
        expect(await preset().values(`articles?status=draft&${query}`, 'title')).toEqual(['c', 'a', 'bb'])
      },
    )

    it('leaves other keys their say', async () => {
      const query = 'articles?status=draft&sort=status:desc,title:desc'
      expect(await preset().values(query, 'title')).toEqual(['c', 'bb', 'a'])
    })

    it('leaves what is populated in the order that it has', async () => {
      const [one] = await preset().list('topics?status=draft&populate[articles][sort]=status:desc')
      const [other] = await preset().list('topics?status=draft&populate=articles')
      expect(below(one, 'articles')).toEqual(below(other, 'articles'))
    })

    it.each([
      'articles?sort=status',
      'articles?sort=title,status',
      'topics?sort=status:asc',
      'articles?sort=topics.status:asc',
    ])('is refused without a direction, without drafts and through links: %s', async (path) => {
      expect((await preset().refusal(path)).message).toBe('Invalid key status')
    })

    it('is refused without the preset', async () => {
      for (const path of ['articles?sort=status:desc', 'topics?populate[articles][sort]=status:desc'])
        expect((await strict().refusal(path)).message).toBe('Invalid key status')
    })

    it('goes by an attribute of the name, which is not shown unasked', async () => {
      for (const served of [preset(), strict()]) {
        expect(await served.values('tickets?sort=status', 'title')).toEqual(['y', 'x'])
        const [desk] = await served.list(
          'desks?populate[tickets][sort]=status:asc&populate[tickets][fields]=title',
        )
        expect(below(desk, 'tickets')).toEqual(['y', 'x'])
        for (const ticket of desk?.['tickets'] as Entry[]) expect(ticket).not.toHaveProperty('status')
      }
    })
  })
})
