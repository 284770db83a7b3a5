import { chanceFrom } from '../../lab/requests/chance'
import { randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { eachDatabase } from '../support/databases'
import type { Grants } from '../support/oracle'
import { store } from '../support/oracle-content'
import { expectAgreement, expectAgreementInTurn } from '../meaning/agreement'
import { firstSeed } from '../support/property-runs'
import { serveContent, type Served, worldOf } from '../meaning/world'

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index)

  describe.each(seeds)('with the model, the content and the rules of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const { permissions, role, grants } = randomRules(chanceFrom(seedNumber), stored)
    let served: Served

    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions, role })
    }, 60_000)
    afterAll(() => served.close())

    const grantsOf = (role: string): Grants => {
      const granted = grants.get(role)
      if (granted === undefined) throw new Error(`nobody is called ${role}`)
      return granted
    }
    const asking = randomAsking(stored, Object.fromEntries(grants), { beyondStrapi: true })

    it('every response is that of the oracle, which evaluates the rules for each row', async () => {
      await expectAgreement({ world, stored, served, grantsOf }, asking, seedNumber)
    }, 60_000)

    it('it is so as well if all roles send the same request', async () => {
      const everyone = [...grants.keys()].filter((name) => !name.endsWith('@two'))
      await expectAgreementInTurn({ world, stored, served, grantsOf }, asking, { everyone, seed: seedNumber })
    }, 60_000)
  })
})
