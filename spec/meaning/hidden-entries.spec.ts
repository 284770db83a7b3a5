import { onSqlite } from '../support/databases'
import { probe, type Prober, without } from '../support/prober'
import { stocked } from '../support/served'
import { openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'

interface Hidden {
  readonly of: string
  readonly right: string
}

/** What entries say that nobody may read before they are published. */
const texts: readonly Hidden[] = [
  { of: 'an entry that is a draft', right: 'mmmm-unsent' },
  { of: 'the draft of a published entry', right: 'mmmm-draft' },
  { of: 'a draft in another locale', right: 'mmmm-french' },
]

const titled = (at: string): string => `${at}[title][$startsWith]=GUESS`

/** Every way that leads to a letter. */
const ways: readonly string[] = [
  `letters?${titled('filters')}`,
  `letters?locale=*&${titled('filters')}`,
  `letters?locale=fr&${titled('filters')}`,
  `letters?filters[locale]=fr&${titled('filters')}`,
  'letters?filters[$or][0][id]=-5&filters[$or][1][title]=GUESS',
  'letters?filters[$not][title]=GUESS&pagination[pageSize]=1',
  'letters?locale=*&_q=GUESS',
  `letters?locale=*&${titled('filters[localizations]')}`,
  'letters?locale=*&filters[$not][localizations][title]=GUESS',
  `letters?${titled('filters[copies]')}`,
  `letters?${titled('filters[copies][localizations]')}`,
  'letters?filters[copies][$not][title]=GUESS',
  `letters?${titled('populate[localizations][filters]')}`,
  `letters?populate[localizations][count]=true&${titled('populate[localizations][filters]')}`,
  `letters?populate[copies][count]=true&${titled('populate[copies][filters]')}`,
  `letters?populate[copies][pagination][withCount]=true&${titled('populate[copies][filters]')}`,
  `letters?${titled('populate[blocks][on][block.pick][populate][letters][filters]')}`,
  `letters?${titled('populate[stamp][populate][related][on][api::letter.letter][filters]')}`,
  `writers?${titled('filters[letters]')}`,
  'writers?filters[letters][$and][0][pages]=9&filters[letters][$and][1][title]=GUESS',
  `writers?${titled('filters[letters][localizations]')}`,
  `writers?populate[letters][count]=true&${titled('populate[letters][filters]')}`,
  `writers?${titled('populate[letters][populate][localizations][filters]')}`,
  `notes?${titled('populate[subject][on][api::letter.letter][filters]')}`,
  `notes?${titled('populate[mentions][on][api::letter.letter][filters]')}`,
]

const wrong = (right: string): string => right.replace('mmmm', 'zzzz')

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, openVaultTypes, vaultContent)
  let prober: Prober

  beforeAll(async () => {
    const options = { contentTypes: vaultTypes, permissions: vaultRoles, nestedPagination: true }
    prober = await probe(world, serve(options))
  })

  async function compare(way: string, right: string, other: string, role: string): Promise<boolean> {
    const ask = async (guess: string): Promise<string> =>
      without(await prober.ask(way.replaceAll('GUESS', guess), { role }), guess)
    return (await ask(right)) === (await ask(other))
  }

  describe.each(texts)('$of', ({ right }) => {
    it.each(ways)('is not told by what is guessed: %s', async (way) => {
      expect(await compare(way, right, wrong(right), 'guest')).toBe(true)
      expect(await compare(`${way}&status=published`, right, wrong(right), 'owner')).toBe(true)
      const { status, whole } = await prober.ask(way.replaceAll('GUESS', right), { role: 'guest' })
      expect([status, whole.includes(right)]).toEqual([200, false])
    })
  })

  it.each(ways)('a role that may read drafts is told by the same guesses: %s', async (way) => {
    const alike = await Promise.all(
      texts.map(({ right }) => compare(`${way}&status=draft`, right, wrong(right), 'owner')),
    )
    expect(alike).toContain(false)
  })

  const places: readonly string[] = [
    'letters?filters[id]=GUESS',
    'letters?filters[copies]=GUESS',
    'letters?filters[copies][id]=GUESS',
    'letters?filters[copies][id][$notIn][0]=GUESS',
    'writers?filters[letters]=GUESS',
    'writers?populate[letters][filters][id]=GUESS',
  ]

  it.each(places)('no entry is told of by its id: %s', async (way) => {
    const drafts = ['first', 'unsent'].flatMap((name) => seeded().entry('letter', name).rows)
    const ids = drafts.flatMap(({ id, status }) => (status === 'draft' ? [String(id)] : []))
    expect(ids).toHaveLength(3)
    for (const id of ids) expect([id, await compare(way, id, '9', 'guest')]).toEqual([id, true])
  })

  it.each(['letters/GUESS', 'letters/GUESS?locale=fr', 'letters/GUESS?locale=*&populate=*'])(
    'no entry is told of by its document id: %s',
    async (way) => {
      const { documentId } = seeded().entry('letter', 'unsent')
      const other = documentId.replace(/.$/, (last) => (last === 'q' ? 'r' : 'q'))
      expect(await compare(way, documentId, other, 'guest')).toBe(true)
      expect((await prober.ask(`letters/${documentId}`, { role: 'guest' })).status).toBe(404)
      expect((await prober.ask(`letters/${documentId}?status=draft`, { role: 'owner' })).status).toBe(200)
    },
  )

  it.each([
    ['copies', 'letters'],
    ['letters', 'writers'],
    ['localizations', 'letters'],
  ])('no entry is counted among %s', async (link, type) => {
    const { whole } = await prober.ask(`${type}?populate[${link}][count]=true`, { role: 'guest' })
    const { whole: drafts } = await prober.ask(`${type}?status=draft&populate[${link}][count]=true`, {
      role: 'owner',
    })
    const counts = (text: string): string[] => text.match(/"count":\d+/g) ?? []
    expect(Math.max(...counts(whole).map((text) => Number(text.slice(8))))).toBeLessThan(
      Math.max(...counts(drafts).map((text) => Number(text.slice(8)))),
    )
  })

  it.each(['letters', 'letters/GUESS', 'motto'])('asking for drafts is refused alike: %s', async (path) => {
    const { documentId } = seeded().entry('letter', 'unsent')
    for (const query of ['status=draft', 'publicationFilter=modified', 'hasPublishedVersion=false']) {
      const asked = path.replace('GUESS', documentId)
      const { status } = await prober.ask(`${asked}?${query}`, { role: 'guest' })
      expect([query, status]).toEqual([query, 403])
      expect(await compare(`${path}?${query}`, documentId, 'nowhere', 'guest')).toBe(true)
    }
  })

  it('a single type that is a draft is as one that was never written', async () => {
    const draft = await prober.ask('motto', { role: 'guest' })
    await world.knex('mottos').del()
    const nothing = await prober.ask('motto', { role: 'guest' })
    expect([draft.status, draft.whole]).toEqual([404, nothing.whole])
  })
})
