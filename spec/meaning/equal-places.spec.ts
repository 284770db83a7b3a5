import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, picture, text } from '../support/library'
import { type Entry, stocked } from '../support/served'

onSqlite((database) => {
  const types = [
    collection('zebra', { name: text, photo: picture }),
    collection('ant', { name: text, photo: picture }),
  ] as unknown as ContentRouterConfig['contentTypes']
  const { serve } = stocked(database, types, {
    'plugin::upload.file': [{ $ref: 'one', name: 'one.png', url: '/one.png' }],
    zebra: [{ name: 'Zebra', photo: 'one' }],
    ant: [{ name: 'Ant', photo: 'one' }],
  })

  it('what is linked from the same place by the same id comes by its type, whichever is read first', async () => {
    const { list } = serve()
    for (const path of ['ants', 'zebras']) {
      const [entry] = await list(`${path}?populate[photo][populate][related]=true`)
      const { related } = entry?.['photo'] as { readonly related: readonly Entry[] }
      expect(related.map(({ id, name }) => [id, name])).toEqual([
        [1, 'Ant'],
        [1, 'Zebra'],
      ])
    }
  })
})
