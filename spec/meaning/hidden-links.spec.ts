import { onSqlite } from '../support/databases'
import { probe, type Prober, without } from '../support/prober'
import { type Entry, type Served, stocked } from '../support/served'
import {
  kept,
  listingVaultTypes,
  openVaultTypes,
  vaultContent,
  vaultRoles,
  vaultSecrets,
  vaultTypes,
} from '../support/vault'

const coded = (at: string): string => `${at}[filters][code][$startsWith]=GUESS`

/** Every way that leads to a safe, which `guest` may not read. */
const ways: readonly string[] = [
  `letters?${coded('populate[safe]')}`,
  `letters?populate[safe][count]=true&${coded('populate[safe]')}`,
  'letters?populate[safe][sort]=code&populate[safe][fields]=code&populate[safe][filters][code]=GUESS',
  `letters?${coded('populate[seo][populate][extra][populate][by]')}`,
  `letters?${coded('populate[extras][populate][by]')}`,
  `letters?${coded('populate[blocks][on][block.pick][populate][safes]')}`,
  `letters?populate[blocks][on][block.pick][populate][safes][count]=true&${coded('populate[blocks][on][block.pick][populate][safes]')}`,
  `letters?${coded('populate[writer][populate][safes]')}`,
  `writers?${coded('populate[safes]')}`,
  `writers?populate[safes][count]=true&${coded('populate[safes]')}`,
  `writers?populate[safes][pagination][withCount]=true&${coded('populate[safes]')}`,
  `notes?${coded('populate[subject][on][api::safe.safe]')}`,
  `notes?populate[subject][count]=true&${coded('populate[subject][on][api::safe.safe]')}`,
  `notes?${coded('populate[mentions][on][api::safe.safe]')}`,
  `notes?populate[mentions][count]=true&${coded('populate[mentions][on][api::safe.safe]')}`,
]

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  let served: Served
  let prober: Prober

  beforeAll(async () => {
    served = serve({ contentTypes: vaultTypes, permissions: vaultRoles, nestedPagination: true })
    prober = await probe(world, served)
  })

  async function isAlike(way: string, role: string): Promise<boolean> {
    const ask = async (guess: string): Promise<string> =>
      without(await prober.ask(way.replaceAll('GUESS', guess), { role }), guess)
    return (await ask(kept)) === (await ask('zzzz-kept'))
  }

  it.each(ways)('a type without permission is not told by what is guessed: %s', async (way) => {
    expect(await isAlike(way, 'guest')).toBe(true)
    expect(await isAlike(way, 'owner')).toBe(false)
  })

  it.each(['true', 'GUESS', '%00', '', '[x]'])(
    'whatever is asked of it has no effect: [%s]',
    async (value) => {
      const plain = await prober.ask('letters', { role: 'guest' })
      for (const key of ['fields', 'sort', 'filters', 'filters[code]', 'filters[nope]', 'populate']) {
        const path = `letters?populate[safe][populate][letters][${key}]=${value}`
        const { whole } = await prober.ask(path.replace('[filters[', '[filters][').replace(']]', ']'), {
          role: 'guest',
        })
        if (!whole.startsWith('400')) expect([key, whole]).toEqual([key, plain.whole])
      }
    },
  )

  it('that something leads to it is as if it led nowhere', async () => {
    const [first, onSafe, onDraft] = await served.list('notes?populate=*&sort=id', 'guest')
    expect(first).toMatchObject({ subject: { title: 'mmmm-shown' }, mentions: [] })
    expect([onSafe?.['subject'], onDraft?.['subject']]).toEqual([null, null])
    const counted = await served.list('notes?populate[mentions][count]=true&sort=id', 'guest')
    expect(counted.map(({ mentions }) => mentions)).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }])
  })

  it('no file tells of private attributes that hold it', async () => {
    const query = 'letters?populate[scans][populate][related]=true&sort=id'
    const related = async (role: string, from: Served): Promise<unknown[]> => {
      const [letter] = await from.list(query, role)
      return (letter?.['scans'] as Entry[]).map(({ related: owners }) =>
        (owners as Entry[]).map(({ title }) => title).sort(),
      )
    }
    const listing = serve({ contentTypes: listingVaultTypes, permissions: vaultRoles })
    const forAll = serve({ privateAttributes: vaultSecrets, permissions: vaultRoles })
    for (const closed of [served, listing, forAll]) {
      expect(await related('guest', closed)).toEqual([
        ['mmmm-shown', 'mmmm-shown'],
        ['mmmm-shown'],
        ['mmmm-shown'],
      ])
    }
    const opened = serve({ permissions: vaultRoles })
    expect(await related('owner', opened)).toEqual([
      ['mmmm-shown', 'mmmm-shown'],
      ['mmmm-shown', 'mmmm-shown'],
      ['mmmm-shown', 'other'],
    ])
  })
})
