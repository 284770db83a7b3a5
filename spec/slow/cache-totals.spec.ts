import { eachDatabase } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, integer, relation } from '../support/library'
import { alone } from '../support/own-server'
import { stocked } from '../support/served'
import { raceTotals } from '../support/totals-race'

const contentTypes = [collection('step', { place: integer, next: relation('oneToOne', 'step') })] as never

/** So many that totals are cached. */
const entries = 4000

const row = (place: number): object => ({ document_id: `d${String(place)}`, place })

eachDatabase((database) => {
  const { world, serve } = stocked(alone(database), contentTypes, {})
  const { sql, logger } = keeping()

  it('totals belong to the state of their page while others write', async () => {
    const rows = Array.from({ length: entries }, (_, at) => row(at + 1))
    await world.knex.batchInsert('steps', rows, 400)
    const least = { answers: 600, writes: 60, uncounted: 50 }
    const served = serve({ logger })
    await raceTotals({ knex: world.knex, served, sql, entries, row, rest: 2500, least })
  }, 120_000)
})
