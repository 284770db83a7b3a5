import fc from 'fast-check'
import { watchGlobals } from '../../lab/fuzz/judge'
import { eachDatabase } from '../support/databases'
import { hostile, inherited, marker, undecodable } from '../support/hostile'
import { probe, type Prober } from '../support/prober'
import { stocked } from '../support/served'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'
import { keeping } from '../support/hearing'

/** Where a value may stand. Texts that nobody stored find nothing, whichever they are. */
const valuePlaces: readonly string[] = [
  ...[
    '$eq',
    '$eqi',
    '$ne',
    '$nei',
    '$contains',
    '$notContains',
    '$containsi',
    '$startsWith',
    '$endsWithi',
  ].map((operator) => `letters?filters[title][${operator}]=HERE`),
  'letters?filters[title][$in][0]=HERE&filters[title][$in][1]=x',
  'letters?filters[title][$notIn]=HERE',
  'letters?filters[$or][0][$not][title]=HERE&filters[$or][1][seo][title]=HERE',
  'letters?filters[copies][writer][name]=HERE',
  'letters?filters[documentId]=HERE',
  'letters?filters[locale]=HERE',
  'letters?filters[locale][$null]=HERE',
  'letters?locale=HERE',
  'letters?locale[0]=HERE&locale[1]=en',
  'letters?_q=HERE',
  'letters?populate[copies][filters][title]=HERE',
  'letters?populate[blocks][on][block.pick][populate][letters][filters][title]=HERE',
  'letters/HERE?populate=*',
  'letters/HERE?locale=HERE',
]

/** Where a name may stand, and what takes a word rather than a text. */
const namePlaces: readonly string[] = [
  'letters?HERE=1',
  'letters?HERE[title]=1',
  'letters?filters[HERE]=1',
  'letters?filters[title][HERE]=1',
  'letters?filters[$HERE][0][title]=1',
  'letters?filters[copies][HERE]=1',
  'letters?filters[copies][HERE][title]=1',
  'letters?sort=HERE',
  'letters?sort=title:HERE',
  'letters?sort=copies.HERE:desc',
  'letters?sort=HERE.title',
  'letters?sort[HERE]=asc',
  'letters?sort[copies][HERE]=asc',
  'letters?sort[title]=HERE',
  'letters?fields=title,HERE',
  'letters?fields[0]=HERE',
  'letters?populate=HERE',
  'letters?populate=copies.HERE',
  'letters?populate[0]=HERE',
  'letters?populate[HERE]=true',
  'letters?populate[copies]=HERE',
  'letters?populate[copies][HERE]=1',
  'letters?populate[copies][populate]=HERE',
  'letters?populate[copies][populate][HERE]=*',
  'letters?populate[copies][sort]=HERE',
  'letters?populate[copies][fields]=HERE',
  'letters?populate[copies][count]=HERE',
  'letters?populate[copies][pagination][HERE]=1',
  'letters?populate[copies][pagination][start]=HERE',
  'letters?populate[blocks][on][HERE]=true',
  'letters?populate[blocks][on][HERE][fields]=title',
  'notes?populate[subject][on][api::HERE.HERE]=true',
  'letters?pagination[page]=HERE',
  'letters?pagination[pageSize]=HERE',
  'letters?pagination[withCount]=HERE',
  'letters?pagination[HERE]=1',
  'letters?status=HERE',
  'letters?publicationFilter=HERE',
  'letters?hasPublishedVersion=HERE',
  'letters?filters[pages]=HERE',
  'letters?filters[id]=HERE',
  'letters?filters[createdAt]=HERE',
]

const harmless = 'harmless'
const anyText = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => text.replace(/\p{Surrogate}/gu, '') + marker),
)

eachDatabase((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const { sql: statements, logger } = keeping()
  const known = new Map<string, readonly string[]>()
  const changed = watchGlobals()
  let prober: Prober

  beforeAll(async () => {
    const options = { contentTypes: vaultTypes, permissions: vaultRoles, nestedPagination: true, logger }
    prober = await probe(world, serve(options))
    await prober.ask('letters', { role: 'guest' })
  })

  async function sentFor(
    path: string,
  ): Promise<{ readonly status: number; readonly sent: readonly string[] }> {
    statements.length = 0
    const { status } = await prober.ask(path, { role: 'guest' })
    return { status, sent: [...statements] }
  }

  /** The texts that a harmless word in this place makes. */
  async function textsOf(place: string): Promise<readonly string[]> {
    const seen = known.get(place)
    if (seen !== undefined) return seen
    const { sent } = await sentFor(place.replaceAll('HERE', harmless))
    known.set(place, sent)
    return sent
  }

  it('a value changes no SQL', async () => {
    let served = 0
    const property = fc.asyncProperty(fc.constantFrom(...valuePlaces), anyText, async (place, text) => {
      const expected = await textsOf(place)
      const { status, sent } = await sentFor(place.replaceAll('HERE', encodeURIComponent(text)))
      if (status === 400) {
        expect([place, text.includes('\u0000'), sent]).toEqual([place, true, []])
        return
      }
      expect([place, text, sent]).toEqual([place, text, expected])
      expect(sent.length).toBeGreaterThan(0)
      served += 1
    })
    await fc.assert(property, { numRuns: 250, seed: 8 })
    expect(served).toBeGreaterThan(200)
  }, 60_000)

  it('a name is an attribute, or it is in no SQL', async () => {
    const names = fc.oneof(anyText, fc.constantFrom(...inherited))
    const property = fc.asyncProperty(fc.constantFrom(...namePlaces), names, async (place, text) => {
      const said = encodeURIComponent(text).replaceAll('%5D%5B', '][')
      const { status, sent } = await sentFor(place.replaceAll('HERE', said))
      expect([place, text, [200, 400].includes(status)]).toEqual([place, text, true])
      expect([place, sent.join('\n').includes(marker)]).toEqual([place, false])
      expect([place, sent.join('\n').match(/__proto__|prototype|constructor|polluted/)]).toEqual([
        place,
        null,
      ])
      if (status === 400) expect([place, sent]).toEqual([place, []])
    })
    await fc.assert(property, { numRuns: 250, seed: 8 })
  }, 60_000)

  it.each(inherited)('%s is an unknown name, and refused everywhere', async (name) => {
    const said = namePlaces.filter((place) => /^letters\?(filters|sort|populate|fields)/.test(place))
    expect(said.length).toBeGreaterThan(20)
    for (const place of said) {
      const { status } = await sentFor(place.replaceAll('HERE', name))
      expect([place, status]).toEqual([place, 400])
    }
  })

  it.each(undecodable)('%s is a value without a match, or an unknown name', async (text) => {
    for (const place of valuePlaces.filter((one) => !one.startsWith('letters/'))) {
      const { status, sent } = await sentFor(place.replaceAll('HERE', text))
      expect([place, status, sent]).toEqual([place, 200, await textsOf(place)])
    }
    for (const place of namePlaces) {
      const { status } = await sentFor(place.replaceAll('HERE', text))
      expect([place, [200, 400].includes(status)]).toEqual([place, true])
    }
    expect([200, 400, 404]).toContain((await sentFor(`letters/${text}`)).status)
  })

  it('no global object has changed', () => {
    expect(changed()).toBeUndefined()
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})
