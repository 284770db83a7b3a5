import { contentClient } from '../../../extensions/client'
import { search } from '../../../extensions/search'
import { contentRouter, migrate } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { stocked } from '../../support/served'
import { textContent, textTypes } from './texts'

const extensions = [search({ article: { title: 3, body: 1 } })]
const options = { extensions, permissions: { public: { find: '*' } } } as const

onSqlite((database) => {
  const { serve, world } = stocked(database, textTypes, textContent)

  beforeAll(async () => {
    await migrate({ contentTypes: textTypes, database: world.config, logger: false, extensions })
  })

  it('reads highlights and points over HTTP, and the same without HTTP', async () => {
    const served = serve(options)
    const client = contentClient({
      url: 'http://texts.example',
      fetch: async (url) => {
        const { status, text } = await served.get(new URL(url).pathname.slice(1) + new URL(url).search)
        return new Response(text, { status })
      },
    })
    const query = { _q: 'sleeps', highlight: ['title', 'body'], ranks: true, sort: '_rank' } as const
    const { data, meta } = await client.find('articles', query)
    const id = String(data[0]?.['id'])
    expect(meta).toMatchObject({
      search: {
        ignored: [],
        ranks: { [id]: 6 },
        highlights: { [id]: { title: 'Rust never <mark>sleeps</mark>' } },
      },
    })
    const router = world.closing(
      contentRouter({ contentTypes: textTypes, database: world.config, logger: false, ...options }),
    )
    expect(await router.as('public').find('articles', query)).toEqual({ data, meta })
  })
})
