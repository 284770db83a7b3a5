import { onSqlite } from '../support/databases'
import { probe, type Prober } from '../support/prober'
import { stocked } from '../support/served'
import type { RoleLimits } from '../../lib'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'

interface Pair {
  readonly path: string
  /** What stands for NAME: something that is there, and as many letters that are nowhere. */
  readonly there: string
  readonly nowhere: string
}

const pair = (path: string, there: string, nowhere = 'q'.repeat(there.length)): Pair => ({
  path,
  there,
  nowhere,
})

/** `guest` may not read safes. What follows NAME is what a query can no longer pay for if NAME has cost something. */
const pairs: readonly Pair[] = [
  pair('letters?populate[safe][populate]=NAME&populate[writer]=true&populate[stamp]=true', 'letters'),
  pair('letters?populate[safe][populate]=NAME&populate[writer]=true', '*', 'nope'),
  pair('letters?populate[safe][populate][letters][populate]=NAME&populate[writer]=true', 'copies'),
  pair('letters?populate[safe][filters][NAME]=a&populate[writer]=true', 'code'),
  pair('letters?populate[safe][filters][NAME][title]=a&populate[writer]=true', 'letters'),
  pair('letters?populate[safe][sort]=NAME&populate[safe][populate]=NAME&populate[writer]=true', 'letters'),
  pair('letters?populate[writer][populate][safes][populate]=NAME&populate[stamp]=true', 'letters'),
  pair('letters?populate=writer,safe.NAME,stamp', 'letters'),
  pair('letters?populate[seo][populate][extra][populate][by][populate]=NAME&populate[stamp]=true', 'letters'),
  pair('notes?populate[mentions][on][api::safe.safe][populate]=NAME&populate[subject]=true', 'letters'),
  pair('letters?filters[safe][NAME]=a&sort=title', 'code'),
  pair('letters?filters[NAME][code]=a&sort=title', 'safe'),
  pair('letters?filters[NAME][code]=a&populate[writer]=true', 'safe'),
  pair('letters?filters[safe][NAME][title]=a&populate=stamp', 'letters'),
  pair('letters?filters[$or][0][safe][NAME]=a&filters[$or][1][title]=a&sort=title,pages', 'code'),
  pair('letters?sort=safe.NAME&populate=stamp', 'code'),
  pair('letters?sort=NAME.code&populate=stamp,writer', 'safe'),
  pair('letters?sort=safe.NAME.title&populate=stamp', 'letters'),
  pair('letters?sort=writer.NAME.letters.title,title', 'safes'),
  pair('letters?sort=NAME.letters.title:desc,NAME.code,pages', 'safe'),
  pair('letters?populate[safe][sort]=NAME.title,code&populate[writer]=true', 'letters'),
  pair('letters?populate[copies][sort]=safe.NAME,safe.id&sort=title', 'code'),
  pair('letters?populate[copies][filters][NAME][code]=a&populate[copies][sort]=title', 'safe'),
]

const upTo = (most: number): number[] => Array.from({ length: most + 1 }, (_, index) => index)

/** More than any of the queries costs. */
const mostNodes = 9
const allowances: readonly RoleLimits[] = [
  ...upTo(mostNodes - 1).map((nodes) => ({ maxNodes: nodes + 1 })),
  ...upTo(4).map((maxDepth) => ({ maxDepth })),
  ...upTo(3).map((maxSortKeys) => ({ maxSortKeys })),
  ...upTo(3).map((maxLinks) => ({ maxLinks })),
  ...upTo(1).map((maxConditions) => ({ maxConditions })),
]

const roleOf = (role: string, allowance: number): string => `${role}${String(allowance)}`
const forEachRole = <T>(of: (role: string, allowance: RoleLimits) => T): Record<string, T> =>
  Object.fromEntries(
    ['guest', 'owner'].flatMap((role) =>
      allowances.map((allowance, index) => [roleOf(role, index), of(role, allowance)] as const),
    ),
  )

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  let prober: Prober

  beforeAll(async () => {
    const permissions = forEachRole((role) => vaultRoles[role] ?? {})
    const limitsByRole = forEachRole((_role, allowance) => allowance)
    prober = await probe(world, serve({ contentTypes: vaultTypes, permissions, limitsByRole }))
  })

  /** For each allowance, the status with which the query is answered, and the answer to it. */
  async function answers({ path }: Pair, name: string, as: string): Promise<(readonly [number, string])[]> {
    return Promise.all(
      [...allowances.keys()].map(async (index) => {
        const { status, whole } = await prober.ask(path.replaceAll('NAME', name), { role: roleOf(as, index) })
        return [status, whole.replaceAll(name, 'NAME')] as const
      }),
    )
  }

  it.each(pairs)('$there meets the same limits as an unknown name: $path', async (one) => {
    expect(await answers(one, one.there, 'guest')).toEqual(await answers(one, one.nowhere, 'guest'))
  })

  it('the limits are too low for each query, and high enough', async () => {
    for (const one of pairs) {
      const allowed = await answers(one, one.there, 'owner')
      expect(allowed.some(([, whole]) => whole.includes('maxNodes in limitsByRole'))).toBe(true)
      expect(allowed.some(([, whole]) => !whole.includes('maxNodes in limitsByRole'))).toBe(true)
    }
  })

  it.each([
    ['maxLinks', /sort\]?=[^&]*\w\./],
    ['maxSortKeys', /sort/],
  ])('it is so as well for sorts with %s', async (limit, able) => {
    for (const one of pairs.filter(({ path }) => able.test(path))) {
      const allowed = await answers(one, one.there, 'owner')
      expect([one.path, allowed.some(([, whole]) => whole.includes(`${limit} in limitsByRole`))]).toEqual([
        one.path,
        true,
      ])
    }
  })

  it.each(['blocks', 'blocks][populate][x'])('on of the zone %s takes components alone', async (zone) => {
    const ask = (uid: string): Promise<{ readonly whole: string }> =>
      prober.ask(`letters?populate[${zone}][on][${uid}]=true`, { role: roleOf('guest', mostNodes - 1) })
    const [there, nowhere] = [await ask('api::safe.safe'), await ask('api::qqqq.qqqq')]
    expect(there.whole.slice(0, 3)).toBe('400')
    expect(there.whole).toBe(nowhere.whole.replaceAll('qqqq', 'safe'))
  })
})
