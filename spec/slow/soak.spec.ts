import { soak } from '../../soak/campaign'
import { faultsOf } from '../../soak/judge'
import { eachDatabase } from '../support/databases'
import { recordingOf } from '../support/recordings'

eachDatabase((database) => {
  const world = database.restored()

  it('serves what it can of twice as much, refuses the rest, keeps nothing, and ends in order', async () => {
    const maxRunning = database.dialect === 'sqlite' ? 1 : 2
    const outcome = await soak({
      contentTypes: recordingOf(database.name).contentTypes,
      database: world.config,
      ...{ seconds: 10, queue: { maxRunning } },
    })
    expect(faultsOf(outcome)).toEqual([])
  }, 120_000)
})
