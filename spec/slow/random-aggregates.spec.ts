import { eachDatabase } from '../support/databases'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { expectEqualResponses, type HiddenTwin, serveHiddenTwin } from '../extensions/aggregate/hidden-twin'
import { aggregateWorld, expectOracle } from '../extensions/aggregate/random-world'
import type { Served } from '../meaning/world'

jest.setTimeout(timeFor(150, 120_000))

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + 100 + index)

  describe.each(seeds)('with the model, the content, the rules and the requests of seed %i', (seed) => {
    const world = aggregateWorld(seed)
    let served: Served

    beforeAll(async () => {
      served = await world.serve(database)
    }, 60_000)
    afterAll(() => served.close())

    it('every aggregate and every facet is that of the oracle', async () => {
      const filled = await expectOracle(world, served, { seed, runs: runs(150) })
      expect(filled).toBeGreaterThan(runs(150) / 5)
    })
  })

  describe.each(seeds)('with the model, the content and the hidden rows of seed %i', (seed) => {
    const world = aggregateWorld(seed)
    let twin: HiddenTwin

    beforeAll(async () => {
      twin = await serveHiddenTwin(world, database, seed)
    }, 120_000)
    afterAll(() => twin.close())

    it('no response depends on hidden rows and values', async () => {
      const counts = await expectEqualResponses(world, twin, { seed, runs: runs(100) })
      expect(counts.get(200)).toBeGreaterThan(runs(100) / 10)
    })
  })
})
