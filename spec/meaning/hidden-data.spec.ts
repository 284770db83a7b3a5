import { setImmediate } from 'node:timers/promises'
import { migrate, type ObservedEvent } from '../../lib'
import type { SeedContent } from '../../extensions/seed'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, text } from '../support/library'
import { type Manner, probe, type Prober, without } from '../support/prober'
import { type Entry, type Served, stocked } from '../support/served'
import { olderFormat } from '../support/as-strapi'
import {
  guestTypes,
  kept,
  listingVaultTypes,
  openVaultTypes,
  vaultContent,
  vaultRoles,
  vaultSecrets,
  vaultTypes,
} from '../support/vault'
import { watching } from '../support/watching'
import { hiding } from '../support/hiding'

type Entries = Extract<SeedContent[string], readonly unknown[]>

/** Beside the vault, a writer who is related to a draft only, and one without relations. */
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

/** What drafts say: an entry that is a draft, the draft of a published entry, a draft in another locale. */
const draftTexts: readonly string[] = ['mmmm-unsent', 'mmmm-draft', 'mmmm-french']

const titled = (at: string): string => `${at}[title][$startsWith]=GUESS`

/** Queries that reach a letter. */
const waysToLetters: readonly string[] = [
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

const coded = (at: string): string => `${at}[filters][code][$startsWith]=GUESS`

/** Queries that reach a safe, which `guest` may not read. */
const waysToSafes: readonly string[] = [
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

const conditionsOnLetters = [
  '[letters][$null]=true',
  '[letters][$notNull]=true',
  '[letters][id][$null]=true',
  '[letters][title][$null]=true',
  '[letters][title][$ne]=x',
  '[$not][letters][title]=x',
  '[$not][letters][id][$null]=true',
  '[$or][0][letters][pages][$null]=true',
]

/** What each advisory's attack looks like here; a guess stands for the value that it finds out sign by sign. */
const oracles: readonly (readonly [advisory: string, queries: readonly string[]])[] = [
  [
    'CVE-2023-22894, filters on private attributes behind a relation',
    [
      'letters?filters[updatedBy][password][$startsWith]=GUESS',
      'letters?filters[createdBy][resetPasswordToken][$startsWith]=GUESS',
      'letters?filters[writer][account][password][$startsWith]=GUESS',
      'letters?filters[$and][0][writer][$or][0][account][resetPasswordToken][$startsWith]=GUESS',
      'writers?filters[letters][writer][pin][$startsWith]=GUESS',
    ],
  ],
  [
    'CVE-2023-34235, names of tables in front of those of columns',
    [
      'letters?filters[updatedBy][t1.password][$startsWith]=GUESS',
      'letters?filters[t1.cipher][$startsWith]=GUESS',
      'letters?filters[writer][t2.pin][$startsWith]=GUESS',
      'letters?filters[writers.pin][$startsWith]=GUESS',
      'letters?sort=t1.cipher',
      'letters?fields=t1.cipher',
    ],
  ],
  [
    'CVE-2023-36472, conditions on what a relation leads to',
    [
      'letters?populate[writer][filters][pin][$startsWith]=GUESS',
      'letters?populate[writer][filters][account][password][$startsWith]=GUESS',
      'writers?populate[account][filters][password][$startsWith]=GUESS',
      'letters/GUESS?populate[writer][filters][pin][$startsWith]=GUESS',
    ],
  ],
  [
    'CVE-2024-56143, lookup',
    ['letters?lookup[cipher][$startsWith]=GUESS', 'letters?lookup[writer][pin]=GUESS'],
  ],
  [
    'CVE-2026-27886, where',
    [
      'letters?where[updatedBy][resetPasswordToken][$startsWith]=GUESS',
      'letters?where[cipher][$startsWith]=GUESS',
      'letters?_where[cipher]=GUESS',
      'letters?select=cipher&orderBy=cipher&having[cipher]=GUESS',
      'letters?populate[writer][where][pin][$startsWith]=GUESS',
      'letters?filters[$where]=GUESS&filters[where][cipher]=GUESS',
    ],
  ],
  [
    'CVE-2025-64748, search over what is concealed',
    ['letters?_q=GUESS', 'writers?_q=GUESS', 'letters?search=GUESS'],
  ],
  [
    'CVE-2024-34708, other names for what is concealed',
    [
      'letters?alias[title]=cipher&filters[title]=GUESS-nowhere',
      'letters?fields=title:cipher',
      'letters?fields[cipher]=title&filters[cipher]=GUESS',
      'letters?populate[cipher][fields]=title&filters[id]=-1',
    ],
  ],
  [
    'strapi#17001, a filter that was dropped',
    ['letters?filters[safe][code]=GUESS', 'letters?filters[title]=nothing&filters[safe][code][$ne]=GUESS'],
  ],
]

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
  /** What an extension observes of it. */
  readonly steps: readonly string[]
}

function stepOf(event: ObservedEvent): string {
  if (event.kind === 'stage') return `stage ${String(event.stage)}`
  return event.kind === 'end' ? `end ${String(event.status)}` : event.kind
}

const refusedQueries = refused.flatMap(([hidden, queries]) => queries.map((query) => ({ hidden, query })))

/** Texts that mean something else to each role, and to each form of an answer. */
const sharedQueries: readonly string[] = [
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

/** Roles and response formats, which share cached plans if at all with their like. */
const manners: readonly Manner[] = [
  { role: 'guest' },
  { role: 'guest', format: 'v4' },
  { role: 'clerk' },
  { role: 'owner', format: 'v4' },
  { role: 'guest,owner' },
]

onSqlite((database) => {
  const { world, seeded, serve } = stocked(database, openVaultTypes, content)
  const { sql: statements, logger } = keeping()
  let served: Served
  let prober: Prober

  beforeAll(async () => {
    served = serve({ contentTypes: vaultTypes, permissions: vaultRoles, nestedPagination: true })
    prober = await probe(world, served)
  })

  /** The response to a guess, without the guess. */
  const answer = async (way: string, guess: string, role: string): Promise<string> =>
    without(await prober.ask(way.replaceAll('GUESS', guess), { role }), guess)

  const isAlike = async (way: string, right: string, other: string, role: string): Promise<boolean> =>
    (await answer(way, right, role)) === (await answer(way, other, role))

  describe('drafts', () => {
    it.each(waysToLetters)('cannot be guessed: %s', async (way) => {
      for (const [at, right] of draftTexts.entries()) {
        const { status, whole } = await prober.ask(way.replaceAll('GUESS', right), { role: 'guest' })
        const [found, guessed] = [without({ status, whole }, right), await answer(way, wrong(right), 'guest')]
        expect([right, status, whole.includes(right), found]).toEqual([right, 200, false, guessed])
        // The published version is all the same for those who may read drafts.
        if (at === waysToLetters.indexOf(way) % draftTexts.length)
          expect(await isAlike(`${way}&status=published`, right, wrong(right), 'owner')).toBe(true)
      }
    })

    it.each(waysToLetters)('are found by roles that may read drafts: %s', async (way) => {
      let isFound = false
      for (const right of draftTexts)
        isFound ||= !(await isAlike(`${way}&status=draft`, right, wrong(right), 'owner'))
      expect(isFound).toBe(true)
    })

    const places: readonly string[] = [
      'letters?filters[id]=GUESS',
      'letters?filters[copies]=GUESS',
      'letters?filters[copies][id]=GUESS',
      'letters?filters[copies][id][$notIn][0]=GUESS',
      'writers?filters[letters]=GUESS',
      'writers?populate[letters][filters][id]=GUESS',
    ]

    it.each(places)('cannot be found by id: %s', async (way) => {
      const drafts = ['first', 'unsent'].flatMap((name) => seeded().entry('letter', name).rows)
      const ids = drafts.flatMap(({ id, status }) => (status === 'draft' ? [String(id)] : []))
      expect(ids).toHaveLength(3)
      for (const id of ids) expect([id, await isAlike(way, id, '9', 'guest')]).toEqual([id, true])
    })

    it.each(['letters/GUESS', 'letters/GUESS?locale=fr', 'letters/GUESS?locale=*&populate=*'])(
      'cannot be found by documentId: %s',
      async (way) => {
        const { documentId } = seeded().entry('letter', 'unsent')
        const other = documentId.replace(/.$/, (last) => (last === 'q' ? 'r' : 'q'))
        expect(await isAlike(way, documentId, other, 'guest')).toBe(true)
        expect((await prober.ask(`letters/${documentId}`, { role: 'guest' })).status).toBe(404)
        expect((await prober.ask(`letters/${documentId}?status=draft`, { role: 'owner' })).status).toBe(200)
      },
    )

    it.each([
      ['copies', 'letters'],
      ['letters', 'writers'],
      ['localizations', 'letters'],
    ])('are not counted among %s of %s', async (link, type) => {
      const { whole } = await prober.ask(`${type}?populate[${link}][count]=true`, { role: 'guest' })
      const { whole: drafts } = await prober.ask(`${type}?status=draft&populate[${link}][count]=true`, {
        role: 'owner',
      })
      const counts = (text: string): string[] => text.match(/"count":\d+/g) ?? []
      expect(Math.max(...counts(whole).map((text) => Number(text.slice(8))))).toBeLessThan(
        Math.max(...counts(drafts).map((text) => Number(text.slice(8)))),
      )
    })

    it.each(['letters', 'letters/GUESS', 'motto'])(
      'are refused alike, whether they exist or not: %s',
      async (path) => {
        const { documentId } = seeded().entry('letter', 'unsent')
        for (const query of ['status=draft', 'publicationFilter=modified', 'hasPublishedVersion=false']) {
          const asked = path.replace('GUESS', documentId)
          const { status } = await prober.ask(`${asked}?${query}`, { role: 'guest' })
          expect([query, status]).toEqual([query, 403])
          expect(await isAlike(`${path}?${query}`, documentId, 'nowhere', 'guest')).toBe(true)
        }
      },
    )

    const single = { kind: 'singleType', options: { draftAndPublish: true } }
    const motto = { ...collection('motto', { line: text }), ...single }
    const mottos = [motto] as unknown as typeof vaultTypes
    const [written, unwritten] = [
      stocked(database, mottos, { motto: [{ line: 'mmmm', $status: 'draft' }] }),
      stocked(database, mottos, {}),
    ]

    it('of a single type are answered like a single type without content', async () => {
      const [draft, nothing] = await Promise.all(
        [written, unwritten].map(async (one) =>
          (await probe(one.world, one.serve())).ask('motto', { role: 'public' }),
        ),
      )
      expect([draft?.status, draft?.whole]).toEqual([404, nothing?.whole])
    })
  })

  describe('a type without permission', () => {
    it.each(waysToSafes)('cannot be guessed: %s', async (way) => {
      expect(await isAlike(way, kept, 'zzzz-kept', 'guest')).toBe(true)
      expect(await isAlike(way, kept, 'zzzz-kept', 'owner')).toBe(false)
    })

    it.each(['true', 'GUESS', '%00', '', '[x]'])(
      'is not read, whatever its populate object holds: %s',
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

    it('is absent from relations to any type and from their counts', async () => {
      const [first, onSafe, onDraft] = await served.list('notes?populate=*&sort=id', 'guest')
      expect(first).toMatchObject({ subject: { title: 'mmmm-shown' }, mentions: [] })
      expect([onSafe?.['subject'], onDraft?.['subject']]).toEqual([null, null])
      const counted = await served.list('notes?populate[mentions][count]=true&sort=id', 'guest')
      expect(counted.map(({ mentions }) => mentions)).toEqual([{ count: 0 }, { count: 0 }, { count: 0 }])
    })

    it('is no private attribute in the related relation of files', async () => {
      const query = 'letters?populate[scans][populate][related]=true&sort=id'
      const related = async (role: string, from: Served): Promise<unknown[]> => {
        const [letter] = await from.list(query, role)
        return (letter?.['scans'] as Entry[]).map(({ related: owners }) =>
          (owners as Entry[]).map(({ title }) => title).sort(),
        )
      }
      const listing = serve({ contentTypes: listingVaultTypes, permissions: vaultRoles })
      const forAll = serve({ extensions: [hiding(vaultSecrets)], permissions: vaultRoles })
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

  describe('an entry that is related to drafts only', () => {
    const pair = (names: readonly unknown[]): unknown[] =>
      names.filter((name) => name === 'leading' || name === 'alone')

    it.each(conditionsOnLetters)('matches filters like one without relations: %s', async (condition) => {
      const found = async (role: string, status: string): Promise<unknown[]> =>
        pair(await served.values(`writers?sort=id&status=${status}&filters${condition}`, 'name', role))
      expect([[], ['leading', 'alone']]).toContainEqual(await found('guest', 'published'))
      expect(await found('owner', 'draft')).toHaveLength(1)
    })

    it.each(['asc', 'desc'])('is sorted like one without relations: %s', async (direction) => {
      const order = `writers?sort[0]=letters.title:${direction}&sort[1]=id`
      const names = await served.values(order, 'name', 'guest')
      expect(names.indexOf('alone')).toBe(names.indexOf('leading') + 1)
      const drafts = await served.values(`${order}&status=draft`, 'name', 'owner')
      expect(drafts.indexOf('alone')).not.toBe(drafts.indexOf('leading') + 1)
    })

    it('shows and counts no related entries', async () => {
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

  describe('advisories', () => {
    const bodyOf = async (path: string, role = 'guest'): Promise<string> =>
      (await prober.ask(path, { role })).whole

    it.each(oracles)('%s: a right guess is answered like a wrong one', async (_, queries) => {
      for (const query of queries) {
        const answers: string[] = []
        for (const guess of [kept, 'zzzz-kept', 'aaaa-kept'])
          answers.push(await answer(query, guess, 'guest'))
        expect([query, new Set(answers).size, answers[0]?.includes(kept)]).toEqual([query, 1, false])
      }
    })

    it.each(['CVE-2023-22894', 'CVE-2023-34235', 'CVE-2024-56143', 'strapi#17001'])(
      '%s: the query is rejected, and not widened',
      async (name) => {
        const [, queries = []] = oracles.find(([advisory]) => advisory.startsWith(name)) ?? []
        expect(queries.length).toBeGreaterThan(0)
        for (const query of queries) {
          const { status } = await prober.ask(query, { role: 'guest' })
          expect([query, status]).toEqual([query, 400])
        }
      },
    )

    it('CVE-2024-29181: relations show neither drafts nor types without permission', async () => {
      const bodies = await Promise.all(
        [
          'letters?populate=*',
          'writers?populate=*',
          'notes?populate=*',
          'letters?populate=copies.copies.copies',
        ].map((path) => bodyOf(path)),
      )
      for (const body of bodies) expect(body).not.toMatch(/mmmm-unsent|mmmm-draft|mmmm-french|mmmm-kept/)
      expect(bodies.join()).toContain('mmmm-shown')
    })

    it.each(['letters', 'writers', 'notes', 'motto'])(
      'strapi-plugin-navigation#125 #316 #401: populate=* omits creators: %s',
      async (path) => {
        const deep = `${path}?populate[0]=*&populate[1]=createdBy`
        expect(await bodyOf(`${path}?populate=*&fields=*`, 'owner')).not.toMatch(
          /createdBy|updatedBy|created_by/,
        )
        expect((await prober.ask(deep, { role: 'owner' })).status).toBe(400)
      },
    )

    it('GHSA-6q22-g298-grjh: a relation that is populated repeatedly is read once', async () => {
      const { get } = serve({ contentTypes: vaultTypes, permissions: vaultRoles, logger })
      const sentFor = async (query: string): Promise<number> => {
        statements.length = 0
        expect((await get(`letters?${query}`, 'guest')).status).toBe(200)
        return statements.length
      }
      const once = await sentFor('populate[0]=writer&populate[1]=copies')
      expect(once).toBeGreaterThan(0)
      const repeated = Array.from({ length: 98 }, (_, index) => `populate[${String(index + 2)}]=writer`).join(
        '&',
      )
      expect(await sentFor(`populate[0]=writer&populate[1]=copies&${repeated}`)).toBe(once)
    })

    it.each([
      ['[]', (key: string) => `${key}[]`],
      ['[n]', (key: string, index: number) => `${key}[${String(index)}]`],
      ['repeated keys', (key: string) => key],
    ])('CVE-2025-15284, CVE-2026-2391: lists are limited in length, written with %s', async (_, write) => {
      for (const key of ['filters[title][$in]', 'fields', 'sort', 'populate', 'locale']) {
        const values = Array.from({ length: 101 }, (_value, index) => `${write(key, index)}=title`)
        const { status, whole } = await prober.ask(`letters?${values.join('&')}`, { role: 'guest' })
        expect([key, status, whole.includes('arrayLimit')]).toEqual([key, 400, true])
      }
    })

    it('CVE-2026-22599: definitions cannot contain SQL', async () => {
      const raw = ["x'); drop table letters; --", { isRaw: true }]
      const types = [
        collection('note', {
          text: { ...text, default: raw, column: { defaultTo: raw, type: raw } },
          kind: { type: 'enumeration', enum: ['a'], default: raw },
          made: { type: 'datetime', default: raw, ...{ columnType: { type: 'string', args: raw } } },
        }),
      ] as unknown as typeof vaultTypes
      const { statements: sent } = await migrate(
        { contentTypes: types, database: world.config },
        { dryRun: true },
      )
      expect(sent.join('\n')).not.toMatch(/drop table|isRaw/)
      expect(sent.join('\n')).toContain('kind')
    })
  })

  describe('an error for a hidden name', () => {
    const events: ObservedEvent[] = []
    let lookups = 0
    let refusing: Prober

    beforeAll(async () => {
      const permissions = (role: string, uid: string, action: string): boolean => {
        lookups += 1
        const name = uid.slice(uid.indexOf('.') + 1)
        return role === 'guest' && action !== 'drafts' && guestTypes.includes(name)
      }
      refusing = await probe(
        world,
        serve({
          contentTypes: vaultTypes,
          permissions,
          logger,
          extensions: [watching((event) => events.push(event))],
        }),
      )
    })

    async function refusal(query: string): Promise<{ readonly whole: string; readonly way: Way }> {
      statements.length = 0
      lookups = 0
      events.length = 0
      const { whole } = await refusing.ask(`letters?${query}`, { role: 'guest' })
      while (events.at(-1)?.kind !== 'end') await setImmediate()
      return { whole, way: { statements: statements.length, lookups, steps: events.map(stepOf) } }
    }

    it.each(refusedQueries)(
      'is the same as for an unknown name, and nothing is read: $hidden, $query',
      async (one) => {
        // With the same name near it: createdAt.
        const unknown = one.hidden === 'createdBy' ? 'createdXy' : 'q'.repeat(one.hidden.length)
        const hidden = await refusal(one.query.replaceAll('HIDDEN', one.hidden))
        const nowhere = await refusal(one.query.replaceAll('HIDDEN', unknown))
        expect(hidden.whole.slice(0, 3)).toBe('400')
        expect(nowhere.whole.replaceAll(unknown, one.hidden)).toBe(hidden.whole)
        expect(hidden.way).toEqual(nowhere.way)
        expect(hidden.way).toMatchObject({
          statements: 0,
          steps: ['caller', 'stage plan', 'stage plan', 'stage null', 'headers', 'end 400'],
        })
      },
    )

    it('differs from a response, which reads rows and looks up permissions', async () => {
      const { way } = await refusal('filters[writer][name]=a')
      expect(way.statements).toBeGreaterThan(0)
      expect(way.lookups).toBeGreaterThan(0)
      for (const step of ['plan', 'stage wait', 'stage load', 'statement', 'stage write', 'end 200'])
        expect(way.steps).toContain(step)
    })

    it.each([
      ['a type without permission', 'safes'],
      ['an entry of it', 'safes/nowhere'],
      ['drafts', 'letters?status=draft'],
      ['the draft of an entry', 'letters/nowhere?status=draft'],
    ])('is sent before anything is read: %s', async (_, path) => {
      statements.length = 0
      expect((await refusing.ask(path, { role: 'guest' })).status).toBe(403)
      expect(statements).toEqual([])
    })
  })

  describe('roles and formats that share plans', () => {
    const make = (): Served =>
      serve({ contentTypes: vaultTypes, permissions: vaultRoles, extensions: [olderFormat] })
    let alone: readonly Prober[] = []
    let shared: Prober

    beforeAll(async () => {
      shared = await probe(world, make())
      alone = await Promise.all(manners.map(() => probe(world, make())))
    })

    it.each(sharedQueries)('get the same responses as alone: %s', async (query) => {
      const expected = await Promise.all(
        manners.map(async (manner, at) => (await alone[at]?.ask(query, manner))?.whole),
      )
      expect(new Set(expected).size).toBeGreaterThan(1)
      for (const order of [manners, [...manners].reverse()]) {
        for (const manner of order) {
          const { whole } = await shared.ask(query, manner)
          expect([manner, whole]).toEqual([manner, expected[manners.indexOf(manner)]])
        }
      }
      const together = await Promise.all(manners.map((manner) => shared.ask(query, manner)))
      expect(together.map(({ whole }) => whole)).toEqual(expected)
    })
  })
})
