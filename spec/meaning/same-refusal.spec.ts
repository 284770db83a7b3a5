import { onSqlite } from '../support/databases'
import { probe, type Prober } from '../support/prober'
import { stocked } from '../support/served'
import { openVaultTypes, vaultContent, guestTypes, vaultTypes } from '../support/vault'
import { hearing, keeping } from '../support/hearing'

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
      'filters[HIDDEN][$some][code]=a',
      'filters[HIDDEN][$none][nope]=a&filters[nope]=1',
      'filters[HIDDEN][$every][code][$nope]=a',
      'filters[HIDDEN][$count]=1',
      'filters[HIDDEN][$count]=many&filters[nope]=1',
      'filters[HIDDEN][$not][$count][nope]=1',
      'filters[HIDDEN][code]=a&filters[HIDDEN][$count]=1',
      'filters[copies][$none][HIDDEN][$count]=1',
      'filters[blocks][$some][on][block.pick][HIDDEN][code]=a',
      'filters[notes][$every][subject][$some][__type]=api::HIDDEN.HIDDEN',
      'filters[notes][$every][subject][$some][on][api::letter.letter][nope]=1&filters[notes][$every][subject][$some][on][api::HIDDEN.HIDDEN][code]=1',
      'filters[notes][$none][subject][$none][on][api::HIDDEN.HIDDEN][nope]=1',
      'sort=HIDDEN.$count',
      'sort=HIDDEN.$count,nope',
      'sort=copies.HIDDEN.$count',
      'populate[copies][filters][HIDDEN][$count]=1',
      'populate[copies][sort]=HIDDEN.$count',
      'populate[blocks][on][block.pick][sort]=HIDDEN.code',
      'populate[notes][populate][subject][on][api::letter.letter][sort]=HIDDEN.code,nope',
    ],
  ],
  [
    'cipher',
    [
      'filters[HIDDEN]=a',
      'filters[HIDDEN][nope]=a',
      'filters[HIDDEN][$null]=true',
      'filters[HIDDEN][$some][code]=a',
      'filters[HIDDEN][$count]=1',
      'sort=HIDDEN.$count',
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
  [
    'patrons',
    [
      'filters[HIDDEN][name]=a',
      'filters[HIDDEN][$none][name]=a',
      'sort=HIDDEN.$count',
      'sort=HIDDEN.name',
      'populate=HIDDEN',
      'populate=HIDDEN.letters',
    ],
  ],
  ['contract', ['filters[HIDDEN][name]=a', 'populate=HIDDEN', 'populate[HIDDEN][fields]=name']],
  [
    'terms',
    [
      'filters[HIDDEN][label]=a',
      'filters[HIDDEN][$count]=1',
      'populate=HIDDEN',
      'populate[HIDDEN][on][shared.extra]=true',
    ],
  ],
  ['createdBy', ['filters[HIDDEN][email]=a', 'sort=HIDDEN.email', 'populate=HIDDEN', 'fields=HIDDEN']],
]

/** What can be told of a request without a clock: whatever took the same way took it in the same steps. */
interface Way {
  readonly statements: number
  readonly lookups: number
  /** What hooks are told of it, but times. */
  readonly event: object
  /** The stages that it has been in. */
  readonly stages: readonly string[]
}

const cases = refused.flatMap(([hidden, queries]) => queries.map((query) => ({ hidden, query })))

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const { sql: statements, logger } = keeping()
  const heard = hearing()
  let lookups = 0
  let prober: Prober

  beforeAll(async () => {
    const permissions = (role: string, uid: string, action: string): boolean => {
      lookups += 1
      const name = uid.slice(uid.indexOf('.') + 1)
      return role === 'guest' && action !== 'drafts' && guestTypes.includes(name)
    }
    prober = await probe(world, serve({ contentTypes: vaultTypes, permissions, logger, ...heard.hooks }))
  })

  async function refusal(query: string): Promise<{ readonly whole: string; readonly way: Way }> {
    statements.length = 0
    lookups = 0
    let whole = ''
    const { ms, stages, ...event } = await heard.after(async () => {
      whole = (await prober.ask(`letters?${query}`, { role: 'guest' })).whole
    })
    expect(ms).toBeGreaterThan(0)
    const entered = Object.entries(stages).flatMap(([stage, spent]: [string, number]) =>
      spent > 0 ? [stage] : [],
    )
    return { whole, way: { statements: statements.length, lookups, event, stages: entered } }
  }

  it.each(cases)('$hidden is refused as a name that is nowhere, and nothing is read: $query', async (one) => {
    const unknown = 'q'.repeat(one.hidden.length)
    const hidden = await refusal(one.query.replaceAll('HIDDEN', one.hidden))
    const nowhere = await refusal(one.query.replaceAll('HIDDEN', unknown))
    expect(hidden.whole.slice(0, 3)).toBe('400')
    expect(nowhere.whole.replaceAll(unknown, one.hidden)).toBe(hidden.whole)
    expect(hidden.way).toEqual(nowhere.way)
    expect(hidden.way).toMatchObject({ statements: 0, stages: ['authorize', 'plan'] })
    expect(hidden.way.event).toMatchObject({ outcome: 'refused', shape: null, statements: 0, rows: 0 })
  })

  it('what may be asked for is read, so that there is something to count', async () => {
    const { way } = await refusal('filters[writer][name]=a')
    expect(way.statements).toBeGreaterThan(0)
    expect(way.lookups).toBeGreaterThan(0)
    expect(way.stages).toEqual(['authorize', 'plan', 'wait', 'load', 'write'])
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
