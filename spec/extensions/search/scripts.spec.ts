import { search } from '../../../extensions/search'
import { type ContentRouterConfig, contentRouter, migrate } from '../../../lib'
import { describeOn, testDatabase } from '../../support/databases'
import { collection, text } from '../../support/library'

const types = [collection('article', { title: text })] as unknown as ContentRouterConfig['contentTypes']

describeOn(['mysql'])('texts without spaces on %s', (name) => {
  const world = testDatabase(name).fresh()

  it('are searched by an index with the parser ngram', async () => {
    const config = { contentTypes: types, database: world.config, logger: false as const }
    await migrate(config)
    const titles = ['東京都の天気予報', '京都の天気', '大阪の天気予報']
    await world
      .knex('articles')
      .insert(
        titles.map((title, at) => ({ document_id: `d${String(at)}`, title, published_at: new Date(0) })),
      )
    await world.knex.raw('create fulltext index words on articles (title) with parser ngram')
    const extensions = [search({ article: { title: 1 } })]
    const router = world.closing(
      contentRouter({ ...config, extensions, permissions: { public: { find: '*' } } }),
    )
    await router.ready()
    const found = async (_q: string): Promise<unknown[]> =>
      (await router.as('public').find('articles', { _q })).data.map((entry) => entry['title'])
    expect(await found('京都')).toEqual(['東京都の天気予報', '京都の天気'])
    expect(await found('天気予報')).toEqual(['東京都の天気予報', '大阪の天気予報'])
    expect(await found('天気予報 東京')).toEqual(['東京都の天気予報'])
    expect(await found('大阪 -予報')).toEqual([])
  })
})
