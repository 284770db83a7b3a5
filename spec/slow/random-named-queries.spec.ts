import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { parse } from 'qs'
import { namedQueries } from '../../extensions/queries'
import { type Filter, printRequest, type Request } from '../../lab/requests/request'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { comparable } from '../support/comparable'
import { eachDatabase } from '../support/databases'
import { answer, type Grants, type Options } from '../support/oracle'
import { type Store, store } from '../support/oracle-content'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { pathOf, serveContent, type Served, servings, worldOf } from '../meaning/world'

jest.setTimeout(timeFor(150, 60_000))

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)
const queriesPerWorld = 60

const reading = { depth: Infinity, arrayLimit: 1000, parameterLimit: Infinity, strictNullHandling: true }

/** What stands in a URL beside the name of a query. */
const beside = ({ style, dotted, page, status, locale, fallback }: Request): Request => ({
  ...{ style, dotted },
  ...(page === undefined ? {} : { page }),
  ...(status === undefined ? {} : { status }),
  ...(locale === undefined ? {} : { locale }),
  ...(fallback === undefined ? {} : { fallback }),
})

const ownPart = ({ style, dotted, fields, populate, filters, sort }: Request): Request => ({
  ...{ style, dotted },
  ...(fields === undefined ? {} : { fields }),
  ...(populate === undefined ? {} : { populate }),
  ...(filters === undefined ? {} : { filters }),
  ...(sort === undefined ? {} : { sort }),
})

interface Place {
  readonly path: string
  readonly value: string
}

/** The place of the first value that may be a parameter. */
function placeIn(path: string, filter: Filter): Place | null {
  if ('all' in filter) return firstPlace(`${path}[$and]`, filter.all)
  if ('any' in filter) return firstPlace(`${path}[$or]`, filter.any)
  if ('not' in filter) return placeIn(`${path}[$not]`, filter.not)
  if ('which' in filter) return placeIn(`${path}[${filter.which}]`, filter.of)
  if ('count' in filter) return placeIn(`${path}[$count]`, filter.count)
  if ('at' in filter) return placeIn(`${path}[${filter.at}]`, filter.of)
  return typeof filter.value === 'string'
    ? { path: `${path}[${filter.operator}]`, value: filter.value }
    : null
}

function firstPlace(path: string, filters: readonly Filter[]): Place | null {
  const [first] = filters.flatMap((filter, index) => placeIn(`${path}[${String(index)}]`, filter) ?? [])
  return first ?? null
}

interface Named extends Asking {
  readonly name: string
  readonly place: Place | null
}

/** Such as a role that may read everything is answered, which is what is checked at start. */
function namedOf(stored: Store, roles: Readonly<Record<string, Grants>>, seed: number): Named[] {
  const { all } = roles
  if (all === undefined) throw new Error('nobody may read everything')
  const askings = fc.sample(randomAsking(stored, { all }), { seed, numRuns: queriesPerWorld })
  return askings
    .filter(({ target, request }) => {
      const { status } = answer(stored, servings['/flat'] as Options, all, target, request)
      return status === 200
    })
    .map((asking, index) => {
      const { filters } = asking.request
      return { ...asking, name: `q${String(index)}`, place: filters ? placeIn('filters', filters) : null }
    })
}

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index)

  describe.each(seeds)('with the model and content of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    const named = namedOf(stored, world.roles, seedNumber)
    let served: Served

    beforeAll(async () => {
      const queries = Object.fromEntries(
        named.map(({ name, target, request, place }) => {
          const query = parse(printRequest(ownPart(request)), reading)
          const parameters = place === null ? {} : { value: place.path }
          return [name, { type: target.uid, query, parameters }]
        }),
      )
      const access = { permissions: world.roles, extensions: [namedQueries(queries)] }
      served = await serveContent(database, world.definitions, world.content, access)
    }, 60_000)
    afterAll(() => served.close())

    it('a named query has the response of the oracle', async () => {
      expect(named.length).toBeGreaterThan(queriesPerWorld / 4)
      const property = fc.asyncProperty(
        fc.constantFrom(...named),
        fc.constantFrom(...Object.keys(servings)),
        fc.constantFrom(...Object.keys(world.roles)),
        fc.boolean(),
        async ({ name, target, request, place }, path, role, isSaid) => {
          const grants = world.roles[role] ?? { find: [], drafts: [] }
          const expected = answer(stored, servings[path] as Options, grants, target, request)
          const said = isSaid && place !== null ? `&value=${encodeURIComponent(place.value)}` : ''
          const url = `${path}${pathOf(world.definitions, target)}?query=${name}${said}&${printRequest(beside(request))}`
          const { status, text } = await served.host.ask(url, role)
          // Whoever may not read all that it names hears no name in it.
          const wanted = expected.status === 400 ? 403 : expected.status
          if (status === expected.orStatus) return
          expect([url, role, status]).toEqual([url, role, wanted])
          if (status !== 200) return
          const [got, body] = [comparable(JSON.parse(text)), comparable(expected.body)]
          expect(isDeepStrictEqual(got, body) ? '' : { url, role, request, got }).toEqual('')
        },
      )
      await fc.assert(property, { seed: seedNumber, numRuns: runs(150), endOnFailure: true })
    })
  })
})
