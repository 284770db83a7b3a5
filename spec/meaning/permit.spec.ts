import fc from 'fast-check'
import { type Asker, permit } from '../../lib/access'
import { makePlan, type Plan, type PlanSettings } from '../../lib/plan'
import { parseQuery } from '../../lib/query'
import { type Model, readSchema } from '../../lib/schema'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { onSqlite } from '../support/databases'
import { answer, type Grants, type Options } from '../support/oracle'
import { isComponent, store } from '../support/oracle-content'
import { queryLimits } from '../support/query-limits'
import { printRequest } from '../../requests/request'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { asWritten, pathOf, serveContent, type Served, servings, silent, worldOf } from './world'

jest.setTimeout(timeFor(150, 60_000))

const world = worldOf(firstSeed)
const stored = store(world.definitions, world.content)
const types = world.definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)

/** Each may do what those before it may, and more. */
const roles: Readonly<Record<string, Grants>> = {
  none: { find: [], drafts: [] },
  ...Object.fromEntries(
    types.map((uid, index) => [
      uid.slice(uid.indexOf('.') + 1),
      { find: types.slice(0, index + 1), drafts: [] },
    ]),
  ),
  editor: { find: types, drafts: types.slice(0, 2) },
  all: { find: types, drafts: types },
}
const names = Object.keys(roles)

describe('permit', () => {
  const schema = readSchema(asWritten(world.definitions), silent)
  const askerOf = ({ find, drafts }: Grants): Asker => ({
    drafts: 'granted',
    action: 'find',
    explains: true,
    types: {
      schema,
      asked: [...schema.models.values()][0] as Model,
      shownIn: () => {
        throw new Error('there are no rules')
      },
    },
    grants: {
      key: '',
      free: null,
      rules: () => null,
      tellsFields: false,
      hidesRows: false,
      personal: [],
      personalTypes: new Set(),
      without: () => {
        throw new Error('there are no rules')
      },
      may: ({ uid }, action) => (action === 'drafts' ? drafts : find).includes(uid),
    },
  })

  function planOf({ target, request }: Asking): Plan {
    const model = [...schema.models.values()].find(({ uid }) => (uid as string) === target.uid)
    if (model === undefined) throw new Error(`no type ${target.uid}`)
    const settings: PlanSettings = {
      schema,
      defaultLocale: 'en',
      localeFallback: {},
      unlistedZoneElements: 'stub',
      maxDepth: 100,
      maxNodes: 2000,
      maxInValues: 100,
      refusesUnstorable: true,
      matching: 'exact',
      typedJson: false,
      supersets: 'none',
      strapiArtefacts: false,
      isKey: () => true,
      hasColumn: () => true,
      keptAs: () => null,
    }
    const query = parseQuery(printRequest(request), { ...queryLimits, maxSortKeys: Infinity })
    return makePlan(settings, { model, query, asked: { kind: 'list' } })
  }

  function tried<T>(make: () => T): T | null {
    try {
      return make()
    } catch {
      return null
    }
  }

  it('changes nothing that it has permitted already', () => {
    let permitted = 0
    const property = fc.property(randomAsking(stored, roles), (asked) => {
      const asker = askerOf(roles[asked.role] ?? { find: [], drafts: [] })
      const plan = tried(() => planOf(asked))
      const once = plan === null ? null : tried(() => permit(schema, plan, asker))
      if (plan === null || once === null) return
      permitted += 1
      expect(permit(schema, { ...plan, ...once }, asker)).toEqual(once)
    })
    fc.assert(property, { seed: firstSeed, numRuns: runs(300), endOnFailure: true })
    expect(permitted).toBeGreaterThan(100)
  })
})

/** Whether one answer shows whatever the other shows: as many keys, as many entries, and a count as high. */
function shows(more: unknown, less: unknown, key = ''): boolean {
  if (less === null || more === less) return true
  if (Array.isArray(less)) return Array.isArray(more) && showsInOrder(more, less)
  if (typeof less === 'number' && typeof more === 'number') return key === 'count' && more >= less
  if (typeof less !== 'object' || typeof more !== 'object' || more === null) return false
  return Object.entries(less).every(([name, one]) =>
    shows((more as Record<string, unknown>)[name], one, name),
  )
}

function showsInOrder(more: readonly unknown[], less: readonly unknown[]): boolean {
  let at = 0
  for (const one of less) {
    while (at < more.length && !shows(more[at], one)) at += 1
    at += 1
  }
  return at <= more.length
}

onSqlite((database) => {
  let served: Served

  beforeAll(async () => {
    served = await serveContent(database, world.definitions, world.content, { permissions: roles })
  })
  afterAll(() => served.close())

  it('a role with more grants is never shown less', async () => {
    let grown = 0
    const asking = fc.tuple(randomAsking(stored, roles), fc.nat(names.length - 2), fc.nat(names.length))
    const property = fc.asyncProperty(asking, async ([{ target, request }, at, further]) => {
      const url = `/flat${pathOf(world.definitions, target)}?${printRequest(request)}`
      const wider = names[Math.min(at + 1 + further, names.length - 1)] ?? ''
      const [less, more] = [await served.host.ask(url, names[at] ?? ''), await served.host.ask(url, wider)]
      // Of what is wrong with a query below a type only those hear who may read the type.
      const grants = roles[wider] ?? { find: [], drafts: [] }
      const expected = answer(stored, servings['/flat'] as Options, grants, target, request)
      if (expected.status === 400) return
      if (less.status === 404) expect(more.status).toBe(404)
      if (less.status !== 200) return
      expect([url, more.status]).toEqual([url, 200])
      expect([url, shows(JSON.parse(more.text), JSON.parse(less.text))]).toEqual([url, true])
      if (more.text.length > less.text.length) grown += 1
    })
    await fc.assert(property, { seed: firstSeed, numRuns: runs(150), endOnFailure: true })
    expect(grown).toBeGreaterThan(5)
  })
})
