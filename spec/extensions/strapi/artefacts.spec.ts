import { strapi5 } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, pictures, relation, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection('post', {
    ...{
      title: text,
      body: text,
      plates: pictures,
      topic: relation('manyToOne', 'topic', { inversedBy: 'posts' }),
    },
    remarks: relation('morphMany', 'remark', { morphBy: 'subject' }),
    shelf: { ...relation('manyToOne', 'shelf', { inversedBy: 'posts' }), useJoinTable: false },
  }),
  collection(
    'shelf',
    { name: text, posts: { ...relation('oneToMany', 'post', { mappedBy: 'shelf' }), useJoinTable: false } },
    { localized: true },
  ),
  collection('topic', { name: text, posts: relation('oneToMany', 'post', { mappedBy: 'topic' }) }),
  collection('remark', { words: text, subject: { type: 'relation', relation: 'morphToOne' } }),
] as unknown as Parameters<typeof stocked>[1]

// What Strapi was seen to answer when it was asked the same.
onSqlite((database) => {
  const { serve } = stocked(database, types, {
    $locales: ['en', 'de'],
    topic: [{ $ref: 'sea', name: 'Sea' }],
    shelf: [{ $ref: 'low', name: 'Low', $locales: { de: { name: 'Unten' } } }],
    post: [
      {
        $ref: 'cod',
        title: 'Cod',
        body: 'Salt',
        topic: 'sea',
        shelf: 'low',
        plates: [{ name: 'a' }, { name: 'b' }],
      },
    ],
    remark: [{ words: 'Fine', subject: { post: 'cod' } }],
  })
  const keysOf = async (query: string): Promise<string[]> => {
    const [entry = {}] = await serve({ extensions: [strapi5()] }).list(`posts?fields=title&${query}`)
    return Object.keys(entry).sort()
  }

  it('shows what a list is sorted by where a filter goes through a relation', async () => {
    expect(await keysOf('filters[topic][name]=Sea&sort=body')).toContain('body')
  })

  it('shows none of it where the sort goes through a relation as well', async () => {
    expect(await keysOf('filters[topic][name]=Sea&sort[0]=topic.name&sort[1]=body')).toEqual([
      'documentId',
      'id',
      'title',
    ])
  })

  it('lists files, and entries by their relation to any type, that are to be counted', async () => {
    const query = 'posts?populate[plates][count]=true&populate[remarks][count]=true'
    const [asStrapi] = await serve({ extensions: [strapi5()] }).list(query)
    expect(asStrapi).toMatchObject({ plates: [{ name: 'a' }, { name: 'b' }], remarks: [{ words: 'Fine' }] })
    const [counted] = await serve().list(query)
    expect(counted).toMatchObject({ plates: { count: 2 }, remarks: { count: 1 } })
  })

  it('counts by tables of links alone', async () => {
    const asStrapi = serve({ extensions: [strapi5()] })
    const [post] = await asStrapi.list('posts?populate[topic][count]=true&populate[shelf][count]=true')
    expect(post).toMatchObject({ topic: { count: 1 }, shelf: { name: 'Low' } })
    const query = 'shelfs?populate[posts][count]=true&populate[localizations][count]=true'
    const [shelf] = await asStrapi.list(query)
    expect(shelf).toMatchObject({ posts: [{ title: 'Cod' }], localizations: [{ name: 'Unten' }] })
    const [counted] = await serve().list(query)
    expect(counted).toMatchObject({ posts: { count: 1 }, localizations: { count: 1 } })
    const [topic] = await asStrapi.list('topics?populate[posts][count]=true')
    expect(topic).toMatchObject({ posts: { count: 1 } })
  })
})
