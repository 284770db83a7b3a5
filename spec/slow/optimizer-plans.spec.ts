import fc from 'fast-check'
import { knex as makeKnex, type Knex } from 'knex'
import { contentRouter } from '../../lib'
import { type Chance, chanceFrom, happens, pick } from '../../lab/requests/chance'
import { printRequest } from '../../lab/requests/request'
import { randomAsking } from '../support/arbitrary-requests'
import { randomRules } from '../support/arbitrary-rules'
import { describeOn, testDatabase } from '../support/databases'
import { type Host, serveRouters } from '../support/host'
import { multiply } from '../support/multiplied'
import { store } from '../support/oracle-content'
import { runs, timeFor } from '../support/property-runs'
import { saying } from '../support/saying'
import { asWritten, pathOf, serveContent, silent, worldOf } from '../meaning/world'
import { anyConditions } from '../support/query-limits'

/*
 * By which plan a server finds something follows how many rows there are and what is in them, hidden ones too: so the answer has to be
 * the same by each. A server in a new version has to pass this, by PROPERTY_WORLDS=40, before it is said to be supported.
 */

/** In its world MariaDB 10.11 found too little by some plans, as long as what is counted was not grouped at once. */
const firstSeed = Number(process.env['PROPERTY_SEED'] ?? 2)
const worlds = Number(process.env['PROPERTY_WORLDS'] ?? 1)
const copies = 80
/** Beside the server's own choice, and the plans of a server that has none. */
const otherPlans = 4

const depths = { optimizer_search_depth: [0, 1, 2, 62] }
const choices = {
  mysql: { limit: 'max_execution_time = 1500', numbers: depths },
  mariadb: {
    limit: 'max_statement_time = 1.5',
    numbers: {
      ...depths,
      join_cache_level: [0, 1, 2, 3, 4, 5, 6, 7, 8],
      optimizer_use_condition_selectivity: [1, 2, 3, 4, 5],
    },
  },
} as const

/** One way to find what is in a set has to be left to MariaDB. */
const isLeft = (part: string): boolean => part === 'in_to_exists'

/** What the server may do to find rows sooner, unless it is turned off. */
async function partsOf(knex: Knex): Promise<readonly string[]> {
  const [[{ parts } = { parts: '' }]] = await knex.raw<readonly [readonly { readonly parts: string }[]]>(
    'select @@optimizer_switch as parts',
  )
  return Array.from(parts.matchAll(/(\w+)=on/g), ([, part = '']) => part).filter((part) => !isLeft(part))
}

const without = (parts: readonly string[]): string =>
  `optimizer_switch = '${parts.map((part) => `${part}=off`).join()}'`

function planning(
  name: keyof typeof choices,
  parts: readonly string[],
  chance: Chance,
): readonly (readonly string[])[] {
  const { limit, numbers } = choices[name]
  const others = Array.from({ length: otherPlans }, () => [
    limit,
    without(parts.filter(() => happens(chance, 25))),
    ...Object.entries(numbers).map(([setting, values]) => `${setting} = ${String(pick(chance, values))}`),
  ])
  return [[limit, without(parts)], [limit], ...others]
}

const setTo = (config: Knex.Config, settings: readonly string[]): Knex.Config => ({
  ...config,
  pool: { afterCreate: saying(`set ${settings.join()}`) },
})

interface Planned {
  readonly host: Host
  readonly plans: number
}

/** By each of the plans; what is refused before a statement is made needs to be asked once. */
async function answersTo({ host, plans }: Planned, path: string, role: string): Promise<readonly string[]> {
  const first = await host.ask(`/0${path}`, role)
  if (first.status >= 400 && first.status < 500) return []
  const others = Array.from({ length: plans - 1 }, (_, at) => host.ask(`/${String(at + 1)}${path}`, role))
  const all = [first, ...(await Promise.all(others))]
  // A bad plan may take longer than there is time.
  return all.filter(({ status }) => status !== 503).map(({ text }) => text)
}

describeOn(['mariadb', 'mysql'])('on %s', (name) => {
  const seeds = Array.from({ length: worlds }, (_, index) => firstSeed + index)

  it.each(seeds)(
    'every response is the same by any plan, with the model, the content and the rules of seed %i',
    async (seed) => {
      const world = worldOf(seed)
      const stored = store(world.definitions, world.content)
      const { permissions, role, grants } = randomRules(chanceFrom(seed), stored)
      const filled = await serveContent(testDatabase(name), world.definitions, world.content, { permissions })
      const knex = makeKnex({ ...filled.database, pool: { min: 1, max: 1 } })
      await multiply(knex, copies)
      const settings = planning(name, await partsOf(knex), chanceFrom(seed))
      await knex.destroy()

      const routers = settings.map((setting) =>
        contentRouter({
          contentTypes: asWritten(world.definitions),
          database: setTo(filled.database, setting),
          logger: silent,
          query: anyConditions,
          nestedPagination: true,
          permissions,
          role,
        }),
      )
      const host = await serveRouters(
        Object.fromEntries(routers.map((router, at) => [`/${String(at)}`, router])),
      )
      const asking = randomAsking(stored, Object.fromEntries(grants))
      let compared = 0
      try {
        for (const { target, request, role } of fc.sample(asking, { seed, numRuns: runs(150) })) {
          const path = `${pathOf(world.definitions, target)}?${printRequest(request)}`
          const [answer, ...others] = await answersTo({ host, plans: settings.length }, path, role)
          for (const other of others) expect({ role, path, answer: other }).toEqual({ role, path, answer })
          compared += others.length
        }
      } finally {
        await host.close()
        await Promise.all(routers.map((router) => router.close()))
        await filled.close()
      }
      expect(compared).toBeGreaterThan(runs(150))
    },
    timeFor(150, 300_000),
  )
})
