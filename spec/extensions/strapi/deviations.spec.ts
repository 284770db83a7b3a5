import request from 'supertest'
import { strapi5 } from '../../../extensions/strapi'
import { onSqlite } from '../../support/databases'
import { collection, relation, text } from '../../support/library'
import { stocked } from '../../support/served'

const types = [
  collection('post', { title: text, topic: relation('manyToOne', 'api::topic.topic') }, { drafts: true }),
  collection('topic', { name: text, kind: relation('manyToOne', 'api::kind.kind') }, { drafts: true }),
  collection('kind', { name: text }),
] as unknown as Parameters<typeof stocked>[1]

// Each is named in docs/concepts/differences-from-strapi.md: Strapi answers the first with 500, sees published rows in the second, writes more into
// texts in the third, and leaves the list of the last out.
onSqlite((database) => {
  const { serve } = stocked(database, types, {
    kind: [{ $ref: 'sea', name: 'Sea' }],
    topic: [
      { $ref: 'fish', name: 'Fish', kind: 'sea', $draft: { name: 'Fishes' } },
      { $ref: 'ships', name: 'Ships' },
    ],
    post: [{ title: 'Cod', topic: 'fish' }, { title: 'Hull', topic: 'ships' }, { title: 'None' }],
  })
  const titles = (query: string) =>
    serve({ extensions: [strapi5()] }).values(`posts?sort=title&${query}`, 'title')

  // What leads nowhere is NULL, and so is its negation.
  it('answers what is not so of a relation', async () => {
    expect(await titles('filters[topic][$not][name]=Fish')).toEqual(['Hull'])
  })

  it('looks among drafts alone for what drafts lead to', async () => {
    expect(await titles('status=draft&filters[topic][name]=Fishes')).toEqual(['Cod'])
    expect(await titles('status=draft&filters[topic][name]=Fish')).toEqual([])
  })

  it('hides no source maps in texts', async () => {
    const { app } = serve({ extensions: [strapi5()] })
    const asked = (value: string) =>
      request(app).get('/api/posts?populate=topic&status=draft').set('strapi-encode-source-maps', value)
    const mapped = await asked('true')
    expect(mapped.status).toBe(200)
    expect(mapped.text).toContain('"title":"Cod"')
    expect(mapped.text).toBe((await asked('false')).text)
  })

  it('refuses a private name among others as it does by itself', async () => {
    for (const populate of ['createdBy', 'createdBy,topic', 'topic,createdBy'])
      expect((await serve({ extensions: [strapi5()] }).refusal(`posts?populate=${populate}`)).message).toBe(
        'Invalid key createdBy',
      )
  })

  it('refuses a list and an object at once', async () => {
    const query = 'populate[topic][populate][kind]=true&populate[topic][populate][0]=kind'
    expect((await serve({ extensions: [strapi5()] }).get(`posts?${query}`)).status).toBe(400)
  })
})
