import { migrate } from '../../lib'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { collection, text } from '../support/library'
import { probe, type Prober, without } from '../support/prober'
import { stocked } from '../support/served'
import { kept, openVaultTypes, vaultContent, vaultRoles, vaultTypes } from '../support/vault'

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

onSqlite((database) => {
  const { world, serve } = stocked(database, openVaultTypes, vaultContent)
  const { sql: statements, logger } = keeping()
  let prober: Prober

  beforeAll(async () => {
    prober = await probe(world, serve({ contentTypes: vaultTypes, permissions: vaultRoles, logger }))
  })

  const bodyOf = async (path: string, role = 'guest'): Promise<string> =>
    (await prober.ask(path, { role })).whole

  it.each(oracles)('%s: a right guess is answered as a wrong one', async (_, queries) => {
    for (const query of queries) {
      const ask = async (guess: string): Promise<string> =>
        without(await prober.ask(query.replaceAll('GUESS', guess), { role: 'guest' }), guess)
      const answers = [await ask(kept), await ask('zzzz-kept'), await ask('aaaa-kept')]
      expect([query, new Set(answers).size, answers[0]?.includes(kept)]).toEqual([query, 1, false])
    }
  })

  it.each(['CVE-2023-22894', 'CVE-2023-34235', 'CVE-2024-56143', 'strapi#17001'])(
    '%s: it is refused, not passed over, which would widen the answer',
    async (name) => {
      const [, queries = []] = oracles.find(([advisory]) => advisory.startsWith(name)) ?? []
      expect(queries.length).toBeGreaterThan(0)
      for (const query of queries) {
        const { status } = await prober.ask(query, { role: 'guest' })
        expect([query, status]).toEqual([query, 400])
      }
    },
  )

  it('CVE-2024-29181, relations that show what may not be read: neither drafts nor other types', async () => {
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
    'strapi-plugin-navigation#125 #316 #401: no star shows who made and changed %s',
    async (path) => {
      const deep = `${path}?populate[0]=*&populate[1]=createdBy`
      expect(await bodyOf(`${path}?populate=*&fields=*`, 'owner')).not.toMatch(
        /createdBy|updatedBy|created_by/,
      )
      expect((await prober.ask(deep, { role: 'owner' })).status).toBe(400)
    },
  )

  it('GHSA-6q22-g298-grjh: what is asked for many times is read once', async () => {
    const sentFor = async (query: string): Promise<number> => {
      statements.length = 0
      expect((await prober.ask(`letters?${query}`, { role: 'guest' })).status).toBe(200)
      return statements.length
    }
    const once = await sentFor('populate[0]=writer&populate[1]=copies')
    const repeated = Array.from({ length: 98 }, (_, index) => `populate[${String(index + 2)}]=writer`).join(
      '&',
    )
    expect(await sentFor(`populate[0]=writer&populate[1]=copies&${repeated}`)).toBe(once)
  })

  it.each([
    ['[]', (key: string) => `${key}[]`],
    ['[n]', (key: string, index: number) => `${key}[${String(index)}]`],
    ['repeated keys', (key: string) => key],
  ])('CVE-2025-15284, CVE-2026-2391: no list is longer than it may be, written with %s', async (_, write) => {
    for (const key of ['filters[title][$in]', 'fields', 'sort', 'populate', 'locale']) {
      const values = Array.from({ length: 101 }, (_value, index) => `${write(key, index)}=title`)
      const { status, whole } = await prober.ask(`letters?${values.join('&')}`, { role: 'guest' })
      expect([key, status, whole.includes('arrayLimit')]).toEqual([key, 400, true])
    }
  })

  it('CVE-2026-22599: a definition brings no SQL with it', async () => {
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
