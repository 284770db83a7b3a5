import type { Request as ExpressRequest } from 'express'
import fc from 'fast-check'
import { parse } from 'qs'
import { ContentError, contentRouter, type ContentRouter } from '../../lib'
import { type PermitRequest, permit } from '../../lib/access'
import { makePlan, type Plan, type PlanSettings } from '../../lib/plan'
import { parseQuery } from '../../lib/query'
import { type Model, readSchema } from '../../lib/schema'
import { chanceFrom } from '../../lab/requests/chance'
import { type Ask, printRequest, type Request, type Wanted } from '../../lab/requests/request'
import { type Asking, randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { onSqlite } from '../support/databases'
import { type Host, serveRouters } from '../support/host'
import { answer, type Grants, type Options } from '../support/oracle'
import { type Content, isComponent, type Json, type JsonObject, store } from '../support/oracle-content'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { queryLimits, anyConditions } from '../support/query-limits'
import { asWritten, pathOf, serveContent, type Served, servings, silent, worldOf } from './world'

jest.setTimeout(timeFor(100, 120_000))

const world = worldOf(firstSeed)
const stored = store(world.definitions, world.content)

onSqlite((database) => {
  describe('a read in the process', () => {
    /** The query as a caller in the process writes it. */
    const objectOf = (text: string): object =>
      parse(text, { depth: Infinity, arrayLimit: 10_000, parameterLimit: 10_000, strictNullHandling: true })

    async function outcomeOf(reading: Promise<unknown>): Promise<unknown> {
      try {
        return { status: 200, body: await reading }
      } catch (error) {
        if (!(error instanceof ContentError)) throw error
        const { status, name, message, details } = error
        return { status, body: { data: null, error: { status, name, message, details } } }
      }
    }

    /** Empties all objects of a response. */
    function spoil(body: unknown): void {
      if (typeof body !== 'object' || body === null) return
      for (const part of Object.values(body)) spoil(part)
      for (const name of Object.keys(body)) Reflect.deleteProperty(body, name)
    }

    interface Ways {
      readonly router: ContentRouter
      readonly host: Host
    }

    describe.each([firstSeed, firstSeed + 1])(
      'with the model, the content and the rules of seed %i',
      (seedNumber) => {
        const world = worldOf(seedNumber)
        const stored = store(world.definitions, world.content)
        const { permissions, role, grants } = randomRules(chanceFrom(seedNumber), stored)
        const ways = new Map<string, Ways>()
        let served: Served
        let keeping: Ways
        beforeAll(async () => {
          served = await serveContent(database, world.definitions, world.content, { permissions, role })
          for (const [path, router] of served.routers) ways.set(path, { router, host: served.host })
          const router = contentRouter({
            ...{ contentTypes: asWritten(world.definitions), database: served.database, logger: silent },
            ...{ permissions, role, nestedPagination: true, query: anyConditions, cache: {} },
          })
          keeping = { router, host: await serveRouters({ '/kept': router }) }
          ways.set('/kept', keeping)
        }, 60_000)
        afterAll(async () => {
          await keeping.host.close()
          await keeping.router.close()
          await served.close()
        })

        async function inside(
          router: ContentRouter,
          { role: name, target }: Asking,
          query: object,
        ): Promise<unknown> {
          const who = await role({ get: () => name } as unknown as ExpressRequest)
          if (who === null) throw new Error('a read in the process needs a role')
          const reader = router.as(who)
          const [, type = '', documentId] = pathOf(world.definitions, target).split('/')
          if (documentId !== undefined) return outcomeOf(reader.findOne(type, documentId, query))
          const isSingle = world.definitions.find(({ uid }) => uid === target.uid)?.kind === 'singleType'
          return outcomeOf(isSingle ? reader.single(type, query) : reader.find(type, query))
        }

        it('returns what HTTP returns, as objects of its own', async () => {
          const asking = randomAsking(stored, Object.fromEntries(grants), { beyondStrapi: true })
          const property = fc.asyncProperty(asking, fc.constantFrom(...ways.keys()), async (asked, path) => {
            const way = ways.get(path)
            if (way === undefined) throw new Error(`nothing is served at ${path}`)
            const text = printRequest(asked.request)
            const url = `${path}${pathOf(world.definitions, asked.target)}?${text}`
            const before = await inside(way.router, asked, objectOf(text))
            const { status, text: body } = await way.host.ask(url, asked.role)
            const overHttp = { status, body: JSON.parse(body) as unknown }
            expect(before).toEqual(overHttp)
            spoil(before)
            expect(await inside(way.router, asked, text as unknown as object)).toEqual(overHttp)
          })
          await fc.assert(property, { seed: seedNumber, numRuns: runs(60), endOnFailure: true })
          expect(keeping.router.cache.stats().hits).toBeGreaterThan(0)
        })
      },
    )
  })

  describe('the grants of a role', () => {
    const types = world.definitions.filter((type) => !isComponent(type)).map(({ uid }) => uid)

    /** Each has the grants of those before it, and more. */
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

    /** True if one response shows all that the other shows: its keys, its entries, and at least its counts. */
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

    describe('permit', () => {
      const schema = readSchema(asWritten(world.definitions), silent)
      const askerOf = ({ find, drafts }: Grants, tell: PermitRequest['tell']): PermitRequest => ({
        drafts: 'granted',
        action: 'find',
        tell,
        types: {
          schema,
          asked: [...schema.models.values()][0] as Model,
          shownIn: () => {
            throw new Error('there are no rules')
          },
        },
        grants: {
          key: '',
          clientQueries: null,
          rules: () => null,
          hidesFields: false,
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
          ...anyConditions,
          refusesUnstorable: true,
          matching: 'exact',
          typedJson: false,
          supersets: 'none',
          loadingArtefacts: false,
          isKey: () => true,
          hasColumn: () => true,
          isReadable: () => true,
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

      it('does not change a plan that it has permitted already', () => {
        let permitted = 0
        const property = fc.property(randomAsking(stored, roles), (asked) => {
          const grants = roles[asked.role] ?? { find: [], drafts: [] }
          const plan = tried(() => planOf(asked))
          const once = plan === null ? null : tried(() => permit(schema, plan, askerOf(grants, null)))
          if (plan === null || once === null) return
          permitted += 1
          const removed: unknown[] = []
          const asker = askerOf(grants, (removal) => removed.push(removal))
          expect(permit(schema, { ...plan, ...once }, asker)).toEqual(once)
          expect(removed).toEqual([])
        })
        fc.assert(property, { seed: firstSeed, numRuns: runs(150), endOnFailure: true })
        expect(permitted).toBeGreaterThan(50)
      })
    })
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
        // An invalid query below a type is an error only for roles that may read the type.
        const grants = roles[wider] ?? { find: [], drafts: [] }
        const expected = answer(stored, servings['/flat'] as Options, grants, target, request)
        if (expected.status === 400) return
        if (less.status === 404) expect(more.status).toBe(404)
        if (less.status !== 200) return
        expect([url, more.status]).toEqual([url, 200])
        expect([url, shows(JSON.parse(more.text), JSON.parse(less.text))]).toEqual([url, true])
        if (more.text.length > less.text.length) grown += 1
      })
      await fc.assert(property, { seed: firstSeed, numRuns: runs(100), endOnFailure: true })
      expect(grown).toBeGreaterThan(5)
    })
  })

  describe('the statements of a list', () => {
    const copies = 4

    /** Renames the references and documentIds of a copy. */
    const renamed = (copy: number): ((value: Json) => Json) => {
      const rename = (value: Json): Json => {
        if (typeof value === 'string')
          return /^(doc-)?(plum|pear|fig|file)\d+$/.test(value) ? `${value}x${String(copy)}` : value
        if (Array.isArray(value)) return (value as readonly Json[]).map(rename)
        if (typeof value !== 'object' || value === null) return value
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rename(one)]))
      }
      return rename
    }

    /** The content several times over, each copy with links of its own. */
    function multiplied(content: Content): Content {
      const types = Object.entries(content).map(([uid, entries]) => {
        if (uid === '$locales' || uid === 'api::home.home') return [uid, entries]
        const all = Array.from({ length: copies }, (_, copy) =>
          (entries as readonly JsonObject[]).map(renamed(copy)),
        )
        return [uid, all.flat()]
      })
      return Object.fromEntries(types) as Content
    }

    /** All entries on one page, without a total. */
    const onOnePage = (request: Request): Request => ({
      ...request,
      page: { by: 'page', first: 1, size: 100, withCount: false },
    })

    /** A filter that finds nothing saves statements, so they are counted without filters. */
    function withoutFilters<A extends Ask | Request>(ask: A): A {
      const { populate, on } = ask as Ask
      const kept = Object.entries(ask).filter(([key]) => key !== 'filters')
      const bare = (wanted: readonly Wanted[]): Wanted[] =>
        wanted.map(({ name, ask: of }) => ({ name, ask: withoutFilters(of) }))
      return {
        ...(Object.fromEntries(kept) as A),
        ...(populate === undefined || populate === '*' ? {} : { populate: bare(populate) }),
        ...(on === undefined ? {} : { on: bare(on) }),
      }
    }

    const statements: Record<'few' | 'many', string[]> = { few: [], many: [] }
    const served: Partial<Record<'few' | 'many', Served>> = {}

    beforeAll(async () => {
      const { definitions, content, roles } = world
      const keep = (of: 'few' | 'many') => (sql: string) => statements[of].push(sql)
      served.few = await serveContent(database, definitions, content, { permissions: roles }, keep('few'))
      served.many = await serveContent(
        database,
        definitions,
        multiplied(content),
        { permissions: roles },
        keep('many'),
      )
    }, 120_000)
    afterAll(() => Promise.all([served.few?.close(), served.many?.close()]))

    async function ask(
      of: 'few' | 'many',
      url: string,
    ): Promise<{ status: number; sent: number; length: number }> {
      statements[of] = []
      const answered = await served[of]?.host.ask(url, 'all')
      if (answered === undefined) throw new Error('nothing is served')
      return { status: answered.status, sent: statements[of].length, length: answered.text.length }
    }

    it('a list takes as many statements for many rows as for few, and no more with filters', async () => {
      let grown = 0
      const asking = randomAsking(store(world.definitions, world.content), {
        all: world.roles['all'] ?? { find: [], drafts: [] },
      })
      const property = fc.asyncProperty(asking, async ({ target, request }) => {
        const path = `/flat${pathOf(world.definitions, { uid: target.uid })}?`
        const url = path + printRequest(onOnePage(withoutFilters(request)))
        const few = await ask('few', url)
        const many = await ask('many', url)
        expect([url, many.status, many.sent]).toEqual([url, few.status, few.sent])
        if (many.length > few.length && few.sent > 1) grown += 1
        const found = await ask('many', path + printRequest(onOnePage(request)))
        if (few.status === 200) expect(found.sent).toBeLessThanOrEqual(few.sent)
      })
      await fc.assert(property, { seed: firstSeed, numRuns: runs(40), endOnFailure: true })
      expect(grown).toBeGreaterThan(10)
    })
  })
})
