import { strapi5 } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, pictures, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('post', {
    ...{ title: text, body: text, plates: pictures, topic: relation('manyToOne', 'topic') },
    remarks: relation('morphMany', 'remark', { morphBy: 'subject' }),
  }),
  collection('topic', { name: text }),
  collection('remark', { words: text, subject: { type: 'relation', relation: 'morphToOne' } }),
] as unknown as Parameters<typeof stocked>[1]

// What Strapi was seen to answer when it was asked the same.
eachDatabase((database) => {
  const { serve } = stocked(database, types, {
    topic: [{ $ref: 'sea', name: 'Sea' }],
    post: [{ $ref: 'cod', title: 'Cod', body: 'Salt', topic: 'sea', plates: [{ name: 'a' }, { name: 'b' }] }],
    remark: [{ words: 'Fine', subject: { post: 'cod' } }],
  })
  const keysOf = async (query: string): Promise<string[]> => {
    const [entry = {}] = await serve({ ...strapi5 }).list(`posts?fields=title&${query}`)
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
    const [asStrapi] = await serve({ ...strapi5 }).list(query)
    expect(asStrapi).toMatchObject({ plates: [{ name: 'a' }, { name: 'b' }], remarks: [{ words: 'Fine' }] })
    const [counted] = await serve().list(query)
    expect(counted).toMatchObject({ plates: { count: 2 }, remarks: { count: 1 } })
  })
})
