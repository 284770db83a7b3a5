import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { RoleFunction } from '../../lib'
import { chanceFrom } from '../../requests/chance'
import { printRequest, type Request } from '../../requests/request'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { comparable } from '../support/comparable'
import { eachDatabase } from '../support/databases'
import { roleHeader } from '../support/host'
import { minimize } from '../support/minimize'
import { answer, type Options } from '../support/oracle'
import { store } from '../support/oracle-content'
import { firstSeed, pathOf, runs, serveContent, type Served, servings, worldOf } from './world'

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 3)

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index)

  describe.each(seeds)('with the model, the content and the rules of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const { permissions, known, grants } = randomRules(chanceFrom(seedNumber), stored)
    let served: Served

    const role: RoleFunction = (req) => {
      const [names = '', asker = ''] = (req.get(roleHeader) ?? '').split('@')
      return { roles: names.split(','), asker: { ...known[asker as keyof typeof known], id: 7 } }
    }

    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions, role })
    }, 60_000)
    afterAll(() => served.close())

    async function disagreement(path: string, { role, target, request }: Asking): Promise<string | null> {
      const granted = grants.get(role)
      if (granted === undefined) throw new Error(`nobody is called ${role}`)
      const expected = answer(stored, servings[path] as Options, granted, target, request)
      const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}`
      const { status, text } = await served.host.ask(url, role)
      if (status === expected.orStatus) return null
      const got = { status, body: status === 200 ? comparable(JSON.parse(text)) : null }
      const wanted = { status: expected.status, body: comparable(expected.body) }
      if (isDeepStrictEqual(got, wanted)) return null
      const texts = [wanted, got].map((one) => JSON.stringify(one, null, 1))
      const rules = JSON.stringify(granted.rules)
      return `${role} ${decodeURIComponent(url)}\n${rules}\nexpected ${texts.join('\ngot ')}${status === 200 ? '' : text}`
    }

    it('every answer is that of the oracle, which asks the rules of each row', async () => {
      const property = fc.asyncProperty(
        randomAsking(stored, Object.fromEntries(grants), { beyondStrapi: true }),
        fc.constantFrom(...Object.keys(servings)),
        async (asked, path) => (await disagreement(path, asked)) === null,
      )
      const { counterexample } = await fc.check(property, {
        seed: seedNumber,
        numRuns: runs(150),
        endOnFailure: true,
      })
      if (counterexample === null) return
      const [asked, path] = counterexample
      const fails = async (request: Request): Promise<boolean> =>
        (await disagreement(path, { ...asked, request })) !== null
      const request = await minimize(asked.request, fails)
      expect(await disagreement(path, { ...asked, request })).toBeNull()
    }, 60_000)
  })
})
