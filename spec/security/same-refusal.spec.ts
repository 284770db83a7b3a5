import { eachDatabase } from '../support/databases'
import { probe, type Prober } from '../support/prober'
import { stocked } from '../support/served'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'
import { keeping } from '../support/hearing'

/** `HIDDEN` is a name that is there and may not be used, and then one that is not there. */
const refused: readonly (readonly [hidden: string, queries: readonly string[]])[] = [
  [
    'safe',
    [
      'filters[HIDDEN][code]=a',
      'filters[HIDDEN][code]=a&filters[nope]=1',
      'filters[HIDDEN][nope]=a&filters[pages]=many',
      'filters[title]=a&filters[HIDDEN][code][$nope]=a&filters[nope][$nope]=1',
      'filters[$or][0][HIDDEN]=1&filters[$or][1][nope]=1',
      'filters[$and][0][$or][0][HIDDEN][code]=1&filters[$and][1][pages][$gt]=x',
      'filters[$not][$and][0][HIDDEN][id]=1&filters[$not][$and][1][nope]=1',
      'filters[HIDDEN][code]=a&sort=nope',
      'filters[copies][HIDDEN][code]=a&filters[copies][nope]=1',
      'sort=HIDDEN.code',
      'sort=HIDDEN.code,nope',
      'sort=HIDDEN.nope,meta',
      'sort[0]=title&sort[1]=HIDDEN.code&sort[2]=nope:desc',
      'populate[copies][filters][HIDDEN][code]=a&populate[copies][filters][nope]=1',
      'populate[copies][sort]=HIDDEN.code,nope',
    ],
  ],
  [
    'cipher',
    [
      'filters[HIDDEN]=a',
      'filters[HIDDEN][nope]=a',
      'filters[HIDDEN][$null]=true',
      'filters[HIDDEN]=a&sort=nope',
      'sort=HIDDEN',
      'sort=HIDDEN.nope',
      'fields=HIDDEN',
      'fields=title,HIDDEN,nope',
      'populate=HIDDEN',
      'populate[HIDDEN]=true',
      'populate[HIDDEN][nope]=true',
      'populate[copies][fields]=HIDDEN',
      'populate[copies][filters][HIDDEN]=a',
    ],
  ],
  ['patrons', ['filters[HIDDEN][name]=a', 'sort=HIDDEN.name', 'populate=HIDDEN', 'populate=HIDDEN.letters']],
  ['contract', ['filters[HIDDEN][name]=a', 'populate=HIDDEN', 'populate[HIDDEN][fields]=name']],
  ['terms', ['filters[HIDDEN][label]=a', 'populate=HIDDEN', 'populate[HIDDEN][on][shared.extra]=true']],
  ['createdBy', ['filters[HIDDEN][email]=a', 'sort=HIDDEN.email', 'populate=HIDDEN', 'fields=HIDDEN']],
]

const cases = refused.flatMap(([hidden, queries]) => queries.map((query) => ({ hidden, query })))

eachDatabase((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const { sql: statements, logger } = keeping()
  let prober: Prober

  beforeAll(async () => {
    prober = await probe(world, serve({ contentTypes: vaultTypes, permissions: vaultRoles, logger }))
  })

  async function refusal(query: string): Promise<{ readonly whole: string; readonly sent: number }> {
    statements.length = 0
    const { whole } = await prober.ask(`letters?${query}`, { role: 'guest' })
    return { whole, sent: statements.length }
  }

  it.each(cases)('$hidden is refused as a name that is nowhere, and nothing is read: $query', async (one) => {
    const unknown = 'q'.repeat(one.hidden.length)
    const hidden = await refusal(one.query.replace('HIDDEN', one.hidden))
    const nowhere = await refusal(one.query.replace('HIDDEN', unknown))
    expect(hidden.whole.slice(0, 3)).toBe('400')
    expect(nowhere.whole.replaceAll(unknown, one.hidden)).toBe(hidden.whole)
    expect([hidden.sent, nowhere.sent]).toEqual([0, 0])
  })

  it('what may be asked for is read, so that there is something to count', async () => {
    expect((await refusal('filters[writer][name]=a')).sent).toBeGreaterThan(0)
  })

  it.each([
    ['a type without permission', 'safes'],
    ['an entry of it', 'safes/nowhere'],
    ['drafts', 'letters?status=draft'],
    ['the draft of an entry', 'letters/nowhere?status=draft'],
  ])('is refused before anything is read: %s', async (_, path) => {
    statements.length = 0
    expect((await prober.ask(path, { role: 'guest' })).status).toBe(403)
    expect(statements).toEqual([])
  })
})
