import fc from 'fast-check'
import { randomAsking } from '../support/arbitrary-requests'
import { onSqlite } from '../support/databases'
import { type Content, type Json, type JsonObject, store } from '../support/oracle-content'
import { setsInOuterJoins } from '../support/outer-joins'
import { type Ask, printRequest, type Request, type Wanted } from '../../requests/request'
import { firstSeed, runs, timeFor } from '../support/property-runs'
import { pathOf, serveContent, type Served, worldOf } from './world'

jest.setTimeout(timeFor(60, 60_000))

const copies = 4

/** The text of a reference or a document id, made that of a copy. */
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

/** The same content several times over: whatever one copy links, each of the others links too. */
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

/** The whole answer on one page, whose size the total does not have to be asked for. */
const onOnePage = (request: Request): Request => ({
  ...request,
  page: { by: 'page', first: 1, size: 100, withCount: false },
})

/** A condition may find nothing, and then nothing more is read: so it is the request without conditions that is counted. */
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

onSqlite((database) => {
  const world = worldOf(firstSeed)
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

  it('sends as many statements for many rows as for few, and no more where there are conditions', async () => {
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
    await fc.assert(property, { seed: firstSeed, numRuns: runs(60), endOnFailure: true })
    expect(grown).toBeGreaterThan(10)
  })

  if (database.dialect !== 'mysql') return

  it('keeps sets out of the outer joins in whose conditions they stand, as MySQL forgets some of theirs', async () => {
    const asking = randomAsking(store(world.definitions, world.content), world.roles)
    const sets: string[] = []
    const property = fc.asyncProperty(asking, async ({ role, target, request }) => {
      statements.few = []
      const path = `/flat${pathOf(world.definitions, target)}?${printRequest(request)}`
      await served.few?.host.ask(path, role)
      sets.push(...statements.few.flatMap(setsInOuterJoins))
    })
    await fc.assert(property, { seed: firstSeed, numRuns: runs(400), endOnFailure: true })
    expect(sets.filter((set) => !set.startsWith('select /*+ no_semijoin() */'))).toEqual([])
    expect(sets.length).toBeGreaterThan(10)
  })
})
