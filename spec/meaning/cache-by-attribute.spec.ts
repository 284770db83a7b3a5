import { type ContentRouterConfig, migrate, seed } from '../../lib'
import { serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { collection, text } from '../support/library'
import { onOwnServer } from '../support/own-server'
import { whileItHolds } from '../support/tags'

const contentTypes = [
  collection('article', { title: text, slug: { type: 'uid' } }),
] as unknown as ContentRouterConfig['contentTypes']

onSqlite((database) => {
  const world = onOwnServer(database, () => database.fresh())
  beforeAll(async () => {
    const config = { contentTypes, database: world.config }
    await migrate(config)
    await seed(config, { article: ['dawn', 'dusk'].map((slug) => ({ title: `At ${slug}`, slug })) })
  })

  describe('the answer for a unique attribute', () => {
    it('has a tag of its own, and is unchanged by it until something changes', async () => {
      const { get } = await serveCached({ world, dialect: database.dialect }, { contentTypes })
      let last = ''
      await whileItHolds(get, 'articles/by/slug/dawn', async (tag) => {
        last = tag
        const statusOf = async (slug: string): Promise<number> =>
          (await get(`articles/by/slug/${slug}`, 'public', { 'If-None-Match': tag })).status
        expect([await statusOf('dawn'), await statusOf('dusk')]).toEqual([304, 200])
      })
      await world.knex('articles').where({ slug: 'dawn' }).update({ title: 'Changed' })
      const changed = await get('articles/by/slug/dawn', 'public', { 'If-None-Match': last })
      expect([changed.status, changed.body]).toEqual([200, expect.stringContaining('"title":"Changed"')])
      const other = await get('articles/by/slug/dusk')
      expect([other.status, other.body]).toEqual([200, expect.stringContaining('"title":"At dusk"')])
    })
  })
})
