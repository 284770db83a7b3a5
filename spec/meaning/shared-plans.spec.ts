import { onSqlite } from '../support/databases'
import { type Manner, probe, type Prober } from '../support/prober'
import { type Served, stocked } from '../support/served'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'

/** Texts that mean something else to each role, and to each form of an answer. */
const texts: readonly string[] = [
  'letters?populate=*',
  'letters?populate=writer.account,safe&sort=title',
  'letters?populate[blocks][populate]=*&populate[notes]=true',
  'letters?filters[safe][code][$notNull]=true',
  'letters?sort=safe.code',
  'letters?populate[copies][filters][safe][code][$null]=true',
  'letters?status=draft',
  'letters?_q=mmmm&locale=*',
  'letters?publicationFilter=modified',
  'writers?populate[safes][count]=true&populate[letters][count]=true',
  'writers?filters[account][email][$notNull]=true',
  'notes?populate=*',
  'notes?populate[mentions][on][api::safe.safe]=true',
  'safes?populate=letters',
  'motto?status=draft',
]

const roles = ['guest', 'clerk', 'owner', 'guest,owner']
const formats = [undefined, 'v4']

const manners: readonly Manner[] = roles.flatMap((role) =>
  formats.map((format): Manner => ({ role, ...(format === undefined ? {} : { format }) })),
)

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const make = (): Served => serve({ contentTypes: vaultTypes, permissions: vaultRoles })
  const alone = new Map<Manner, Prober>()
  let shared: Prober

  beforeAll(async () => {
    shared = await probe(world, make())
    for (const manner of manners) alone.set(manner, await probe(world, make()))
  })

  it.each(texts)('%s is answered to each role as if no other had asked', async (text) => {
    const expected: string[] = []
    for (const [manner, prober] of alone) expected.push((await prober.ask(text, manner)).whole)
    expect(new Set(expected).size).toBeGreaterThan(1)
    for (const order of [manners, [...manners].reverse()]) {
      for (const manner of order) {
        const { whole } = await shared.ask(text, manner)
        expect([manner, whole]).toEqual([manner, expected[manners.indexOf(manner)]])
      }
    }
    const together = await Promise.all([...manners, ...manners].map((manner) => shared.ask(text, manner)))
    expect(together.map(({ whole }) => whole)).toEqual([...expected, ...expected])
  })
})
