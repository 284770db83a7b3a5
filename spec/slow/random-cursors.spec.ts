import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { printRequest, type Request } from '../../requests/request'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { comparable } from '../support/comparable'
import { eachDatabase } from '../support/databases'
import { minimize } from '../support/minimize'
import { answer, type Options, type Target } from '../support/oracle'
import { type Store, store } from '../support/oracle-content'
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

/** A list to walk through: that of a type, or of the entries that one entry is linked to. */
interface Walk {
  readonly role: string
  readonly target: Target
  readonly request: Request
  /** The relation whose list it is. */
  readonly within?: string
}

/** Undefined where the role is not shown the relation. */
function listIn(text: string, within: string | undefined): Body | undefined {
  const body = JSON.parse(text) as Body | { readonly data: Readonly<Record<string, Body>> }
  return within === undefined ? (body as Body) : (body.data as Readonly<Record<string, Body>>)[within]
}

/** What the oracle shows of the list, flat or wrapped. */
function dataIn(body: unknown, within: string | undefined): readonly unknown[] | undefined {
  const { data } = (body ?? { data: [] }) as { readonly data: unknown }
  if (within === undefined) return data as readonly unknown[]
  const list = (data as Readonly<Record<string, { readonly data: readonly unknown[] } | readonly unknown[]>>)[
    within
  ]
  return list === undefined || Array.isArray(list)
    ? (list as readonly unknown[] | undefined)
    : (list as Body).data
}

const withoutPage = (request: Request): Request =>
  Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'page')) as unknown as Request

/** The same asked of the entries that one entry is linked to. */
function populated(role: string, request: Request, { name, target }: Owner): Walk {
  const { style, sort, filters, fields, status } = request
  // A branch of which nothing is asked would be written as a name alone, beside which no page can stand.
  const ask = {
    fields: fields ?? ['documentId'],
    ...(sort === undefined ? {} : { sort }),
    ...(filters === undefined ? {} : { filters }),
  }
  const populate = [{ name, ask }]
  const own = { style, dotted: false, populate, ...(status === undefined ? {} : { status }) }
  return { role, target, request: own, within: name }
}

/** An entry, and its relation to many entries of a type. */
interface Owner {
  readonly target: Target
  readonly name: string
}

function ownersOf(uid: string, { types, rows }: Store): Owner[] {
  return [...types.values()].flatMap((type) => {
    if (type.kind !== 'collectionType') return []
    const toMany = Object.entries(type.attributes).filter(
      ([, { target, relation, private: hidden }]) =>
        target === uid && relation?.endsWith('Many') === true && hidden !== true,
    )
    const owners = rows.filter((row) => row.type === type)
    return toMany.flatMap(([name]) =>
      owners
        .filter(({ links }) => (links.get(name) ?? []).length > 1)
        .map(({ documentId }) => ({ name, target: { uid: type.uid, documentId } })),
    )
  })
}

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
    async function walk(
      url: string,
      { role, within }: Walk,
      side: Side,
      size: number,
    ): Promise<Body[] | string> {
      const pages: Body[] = []
      const key = within === undefined ? 'pagination' : `populate[${within}][pagination]`
      for (let cursor = ''; pages.length <= 100;) {
        const page = `${key}[${side}]=${cursor}&${key}[pageSize]=${String(size)}&${key}[withCount]=true`
        const { status, text } = await served.host.ask(`${url}&${page}`, role)
        if (status !== 200) return `${String(status)} ${text}`
        const body = listIn(text, within)
        if (body === undefined) return 'not shown'
        pages.push(body)
        const { hasNextPage, hasPreviousPage, startCursor, endCursor } = body.meta.pagination
        if (!(side === 'after' ? hasNextPage : hasPreviousPage)) return pages
        cursor = (side === 'after' ? endCursor : startCursor) ?? ''
      }
      return 'no end'
    }

    async function disagreement(asked: Walk, path: string, side: Side, size: number): Promise<string | null> {
      const { role, target, within } = asked
      const request = withoutPage(asked.request)
      const grants = world.roles[role] ?? { find: [], drafts: [] }
      const whole = within === undefined ? { ...request, page: all } : request
      const expected = answer(stored, servings[path] as Options, grants, target, whole)
      const url = `${path}${pathOf(world.definitions, target)}?${printRequest(request)}`
      const pages = await walk(url, asked, side, size)
      const data = dataIn(expected.body, within)
      if (data === undefined && pages === 'not shown') return null
      const told = `${role} ${decodeURIComponent(url)} ${side} ${String(size)}`
      if (typeof pages === 'string') {
        if (pages.startsWith(String(expected.status)) || pages.startsWith(String(expected.orStatus)))
          return null
        return pages.includes('no cursor can hold') ? null : `${told}\n${pages}`
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
        data: comparable(data ?? []),
        totals: pages.map(() => data?.length),
        others: inOrder.map((_page, at) => [at > 0, at < inOrder.length - 1]),
      }
      if (expected.status === 200 && isDeepStrictEqual(got, wanted)) return null
      return `${told}\nexpected ${JSON.stringify(wanted)}\ngot ${JSON.stringify(got)}`
    }

    /** Walks that random requests make, as they are or within an entry; more than `least` have to be walked. */
    async function expectAgreement(least: number, walkOf: (asked: Asking, which: number) => Walk | null) {
      let walked = 0
      const property = fc.asyncProperty(
        randomAsking(stored, world.roles),
        fc.constantFrom(...Object.keys(servings)),
        fc.constantFrom<Side>('after', 'before'),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(),
        async (asked, path, side, size, which) => {
          const asking = isList(asked) ? walkOf(asked, which) : null
          if (asking === null) return true
          walked += 1
          return (await disagreement(asking, path, side, size)) === null
        },
      )
      const { counterexample } = await fc.check(property, {
        seed: seedNumber,
        numRuns: runs(80),
        endOnFailure: true,
      })
      if (counterexample === null) {
        expect(walked).toBeGreaterThan(least)
        return
      }
      const [asked, path, side, size, which] = counterexample
      const again = (request: Request): Promise<string | null> => {
        const asking = walkOf({ ...asked, request }, which)
        return asking === null ? Promise.resolve(null) : disagreement(asking, path, side, size)
      }
      const request = await minimize(asked.request, async (smaller) => (await again(smaller)) !== null)
      expect(await again(request)).toBeNull()
    }

    const isList = ({ target }: Asking): boolean =>
      target.documentId === undefined && stored.types.get(target.uid)?.kind === 'collectionType'

    it(
      'the pages of a list by cursors are the whole list',
      () => expectAgreement(20, (asked) => asked),
      90_000,
    )

    it('the pages of a populated relation by cursors are all of its entries', () => {
      const owners = new Map([...stored.types.keys()].map((uid) => [uid, ownersOf(uid, stored)]))
      const least = [...owners.values()].flat().length > 0 ? 0 : -1
      return expectAgreement(least, ({ role, target, request }, which) => {
        const ofThese = owners.get(target.uid) ?? []
        const owner = ofThese[which % ofThese.length]
        return owner === undefined ? null : populated(role, request, owner)
      })
    }, 90_000)
  })
})
