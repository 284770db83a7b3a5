import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { chanceFrom } from '../../requests/chance'
import { spoil } from '../../requests/chaos'
import { printRequest, type Request } from '../../requests/request'
import { type KnownType, vocabularyOf } from '../../requests/vocabulary'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { anyText } from '../support/arbitrary-texts'
import { comparable } from '../support/comparable'
import { eachDatabase } from '../support/databases'
import { answer, type Options } from '../support/oracle'
import { store } from '../support/oracle-content'
import { minimize } from '../support/minimize'
import { firstSeed, pathOf, runs, serveContent, type Served, servings, worldOf } from './world'

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 3)

/** A type that leads to itself without a join table was shown itself. */
const worldsOnceAnsweredWrong = process.env['PROPERTY_SEED'] === undefined ? [992] : []

eachDatabase((database) => {
  const seeds = [
    ...Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index),
    ...worldsOnceAnsweredWrong,
  ]

  describe.each(seeds)('with the model and content of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const types = vocabularyOf(stored.types.values())
    let served: Served

    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions: world.roles })
    }, 60_000)
    afterAll(() => served.close())

    async function disagreement(path: string, { role, target, request }: Asking): Promise<string | null> {
      const grants = world.roles[role] ?? { find: [], drafts: [] }
      const expected = answer(stored, servings[path] as Options, grants, target, request)
      const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}`
      const { status, text } = await served.host.ask(url, role)
      if (status === expected.orStatus) return null
      const got = { status, body: status === 200 ? comparable(JSON.parse(text)) : null }
      const wanted = { status: expected.status, body: comparable(expected.body) }
      if (isDeepStrictEqual(got, wanted)) return null
      const texts = [wanted, got].map((one) => JSON.stringify(one, null, 1))
      const refusal = status === 200 ? '' : text
      return `${role} ${decodeURIComponent(url)}\n${JSON.stringify(request)}\nexpected ${texts.join('\ngot ')}${refusal}`
    }

    it('every answer is that of the oracle', async () => {
      const asking = randomAsking(stored, world.roles)
      const property = fc.asyncProperty(
        asking,
        fc.constantFrom(...Object.keys(servings)),
        async (asked, path) => {
          return (await disagreement(path, asked)) === null
        },
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

    it('no text fails, however it is spoiled', async () => {
      const asking = fc.tuple(randomAsking(stored, world.roles), fc.nat(), fc.boolean())
      const text = asking.map(([{ target, request }, seed, spoils]) => {
        const chance = chanceFrom(seed)
        const query = spoils
          ? spoil(chance, printRequest(request))
          : anyText(chance, types, types.get(target.uid) as KnownType)
        return `/flat${pathOf(world.definitions, target)}?${query}`
      })
      const property = fc.asyncProperty(text, async (url) => {
        const { status, text: body } = await served.host.ask(url, 'all')
        expect([url, status, status < 500 ? '' : body]).toEqual([url, expect.any(Number), ''])
      })
      await fc.assert(property, { seed: seedNumber, numRuns: runs(100), endOnFailure: true })
    }, 60_000)
  })
})
