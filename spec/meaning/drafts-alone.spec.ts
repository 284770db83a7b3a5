import type { SeedContent } from '../../lib'
import { onSqlite } from '../support/databases'
import { type Served, stocked } from '../support/served'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'

type Entries = Extract<SeedContent[string], readonly unknown[]>

/** One leads to a draft and to nothing else, the other leads nowhere. Writers have no drafts, so their links do. */
const content: SeedContent = {
  ...vaultContent,
  writer: [
    ...(vaultContent['writer'] as Entries),
    { $ref: 'leading', name: 'leading' },
    { $ref: 'alone', name: 'alone' },
  ],
  letter: [
    ...(vaultContent['letter'] as Entries),
    { title: 'unsent', pages: 1, writer: 'leading', $status: 'draft' },
  ],
}

const conditions = [
  '[letters][$null]=true',
  '[letters][$notNull]=true',
  '[letters][id][$null]=true',
  '[letters][title][$null]=true',
  '[letters][title][$ne]=x',
  '[$not][letters][title]=x',
  '[$not][letters][id][$null]=true',
  '[$or][0][letters][pages][$null]=true',
]

onSqlite((database) => {
  const { serve } = stocked(database, openVaultTypes, content)
  let served: Served
  beforeAll(() => {
    served = serve({ contentTypes: vaultTypes, permissions: vaultRoles })
  })

  const pair = (names: readonly unknown[]): unknown[] =>
    names.filter((name) => name === 'leading' || name === 'alone')

  it.each(conditions)(
    'whoever leads to drafts alone is found as if it led nowhere: %s',
    async (condition) => {
      const found = async (role: string, status: string): Promise<unknown[]> =>
        pair(await served.values(`writers?sort=id&status=${status}&filters${condition}`, 'name', role))
      expect([[], ['leading', 'alone']]).toContainEqual(await found('guest', 'published'))
      expect(await found('owner', 'draft')).toHaveLength(1)
    },
  )

  it.each(['asc', 'desc'])(
    'and stands beside it in the order of what they lead to: %s',
    async (direction) => {
      const order = `writers?sort[0]=letters.title:${direction}&sort[1]=id`
      const names = await served.values(order, 'name', 'guest')
      expect(names.indexOf('alone')).toBe(names.indexOf('leading') + 1)
      const drafts = await served.values(`${order}&status=draft`, 'name', 'owner')
      expect(drafts.indexOf('alone')).not.toBe(drafts.indexOf('leading') + 1)
    },
  )

  it('and shows and counts as many, which is none', async () => {
    const letters = async (populate: string, role: string): Promise<unknown[]> => {
      const either = 'filters[name][$in][0]=leading&filters[name][$in][1]=alone'
      const entries = await served.list(`writers?sort=id&${either}&${populate}`, role)
      return entries.map((entry) => entry['letters'])
    }
    expect(await letters('populate=letters', 'guest')).toEqual([[], []])
    expect(await letters('populate[letters][count]=true', 'guest')).toEqual([{ count: 0 }, { count: 0 }])
    const drafts = await letters('populate[letters][count]=true&status=draft', 'owner')
    expect(drafts).toEqual([{ count: 1 }, { count: 0 }])
  })
})
