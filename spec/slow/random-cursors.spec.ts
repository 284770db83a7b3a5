import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { printRequest, type Request } from '../../lab/requests/request'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { comparable } from '../support/comparable'
import { eachDatabase } from '../support/databases'
import { minimize } from '../support/minimize'
import { answer, type Options } from '../support/oracle'
import { store } from '../support/oracle-content'
import { firstSeed, runs } from '../support/property-runs'
import { pathOf, serveContent, type Served, servings, worldOf } from '../meaning/world'

const worldsPerDatabase = Number(process.env['PROPERTY_WORLDS'] ?? 2)

type Side = 'after' | 'before'

interface Edges {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
  readonly total: number
}

interface Body {
  readonly data: readonly unknown[]
  readonly meta: { readonly pagination: Edges }
}

/** What the oracle shows at once. No world has more entries of a type. */
const all = { by: 'page', first: 1, size: 100 } as const

/** A list to walk through. */
type Walk = Pick<Asking, 'role' | 'target' | 'request'>

const withoutPage = (request: Request): Request =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'page')) as unknown as Request

eachDatabase((database) => {
  const seeds = Array.from({ length: worldsPerDatabase }, (_, index) => firstSeed + index)

  describe.each(seeds)('with the model and content of seed %i', (seedNumber) => {
    const world = worldOf(seedNumber)
    const stored = store(world.definitions, world.content)
    let served: Served

    beforeAll(async () => {
      served = await serveContent(database, world.definitions, world.content, { permissions: world.roles })
    }, 60_000)
    afterAll(() => served.close())

    /** The pages one after the other, in the order in which they are asked for; or why there are none. */
    async function walk(url: string, role: string, side: Side, size: number): Promise<Body[] | string> {
      const pages: Body[] = []
      for (let cursor = ''; pages.length <= 100;) {
        const page = `pagination[${side}]=${cursor}&pagination[pageSize]=${String(size)}&pagination[withCount]=true`
        const { status, text } = await served.host.ask(`${url}&${page}`, role)
        if (status !== 200) return `${String(status)} ${text}`
        const body = JSON.parse(text) as Body
        pages.push(body)
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = body.meta.pagination
        if (!(side === 'after' ? hasNextPage : hasPreviousPage)) return pages
        cursor = (side === 'after' ? endCursor : startCursor) ?? ''
      }
      return 'no end'
    }

    async function disagreement(asked: Walk, path: string, side: Side, size: number): Promise<string | null> {
      const { role, target } = asked
      const request = withoutPage(asked.request)
      const grants = world.roles[role] ?? { find: [], drafts: [] }
      const expected = answer(stored, servings[path] as Options, grants, target, { ...request, page: all })
      const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}`
      const pages = await walk(url, role, side, size)
      const { data } = (expected.body ?? { data: [] }) as { readonly data: readonly unknown[] }
      const told = `${role} ${decodeURIComponent(url)} ${side} ${String(size)}`
      if (typeof pages === 'string') {
        if (pages.startsWith(String(expected.status)) || pages.startsWith(String(expected.orStatus)))
          return null
        return /no cursor can hold|a to-many relation/.test(pages) ? null : `${told}\n${pages}`
      }
      const inOrder = side === 'after' ? pages : [...pages].reverse()
      const got = {
        data: comparable(inOrder.flatMap(({ data }) => data)),
        totals: pages.map(({ meta }) => meta.pagination.total),
        others: inOrder.map(({ meta: { pagination } }) => [
          pagination.hasPreviousPage,
          pagination.hasNextPage,
        ]),
      }
      const wanted = {
        data: comparable(data),
        totals: pages.map(() => data.length),
        others: inOrder.map((_page, at) => [at > 0, at < inOrder.length - 1]),
      }
      if (expected.status === 200 && isDeepStrictEqual(got, wanted)) return null
      return `${told}\nexpected ${JSON.stringify(wanted)}\ngot ${JSON.stringify(got)}`
    }

    const isList = ({ target }: Asking): boolean =>
      target.documentId === undefined && stored.types.get(target.uid)?.kind === 'collectionType'

    it('the pages of a list by cursors are the whole list', async () => {
      let walked = 0
      const property = fc.asyncProperty(
        randomAsking(stored, world.roles),
        fc.constantFrom(...Object.keys(servings)),
        fc.constantFrom<Side>('after', 'before'),
        fc.integer({ min: 1, max: 7 }),
        async (asked, path, side, size) => {
          if (!isList(asked)) return true
          walked += 1
          return (await disagreement(asked, path, side, size)) === null
        },
      )
      const { counterexample } = await fc.check(property, {
        seed: seedNumber,
        numRuns: runs(80),
        endOnFailure: true,
      })
      if (counterexample === null) {
        expect(walked).toBeGreaterThan(20)
        return
      }
      const [asked, path, side, size] = counterexample
      const again = (request: Request): Promise<string | null> =>
        disagreement({ ...asked, request }, path, side, size)
      const request = await minimize(asked.request, async (smaller) => (await again(smaller)) !== null)
      expect(await again(request)).toBeNull()
    }, 90_000)
  })
})
