import { listenTo } from '../support/change-listener'
import { describeOn, testDatabase } from '../support/databases'
import { onFollowedLibrary } from '../support/feed'
import { until } from '../support/told-changes'

describeOn(['postgres'])('GET /changes on %s', (name) => {
  const followed = onFollowedLibrary(testDatabase(name))
  const { world } = followed

  it('lets go of a listener who takes nothing', async () => {
    const served = await followed.serve({ changes: true })
    const url = `${served.origin}/api/changes`
    const slow = await listenTo(url)
    await slow.hears(({ event }) => event === 'ready')
    slow.response.pause()
    await world.knex.raw(`do $$ begin for round in 1..500 loop
      insert into authors (document_id) select repeat('d', 90) || n from generate_series(1, 200) n;
      commit; end loop; end $$`)
    const quick = await listenTo(url)
    await quick.hears(({ event }) => event === 'ready')
    await world.knex('authors').insert({ document_id: 'quick' })
    await quick.hears(({ data }) => JSON.stringify(data).includes('quick'))
    slow.response.resume()
    await until(() => (slow.isOver() ? true : undefined), 'he is still there')
    quick.leave()
  }, 180_000)
})
