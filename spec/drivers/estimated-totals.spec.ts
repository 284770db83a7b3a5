import type { ContentRouterConfig, Grant } from '../../lib'
import { eachDatabase, type World } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { type Page, type Served, stocked } from '../support/served'

const types = [
  collection('kind', { name: text }),
  collection('stamp', { number: integer, colour: text, kind: relation('manyToOne', 'kind') }),
  collection('note', { number: integer, colour: text }, { drafts: true }),
] as unknown as ContentRouterConfig['contentTypes']

const permissions: Readonly<Record<string, Grant>> = {
  public: { find: '*' },
  editor: { find: '*', drafts: '*' },
  ruled: { find: { stamp: { where: { number: { $gte: 0 } } }, note: true } },
  ruledDrafts: { find: '*', drafts: { note: { where: { number: { $gte: 0 } } } } },
  coloured: { find: { stamp: { fields: ['number'] } } },
  colouredBlack: { find: { stamp: { where: { colour: 'black' }, fields: ['number', 'colour'] } } },
}

const count = 12_000

const rows = Array.from({ length: count }, (_, number) => ({
  document_id: String(number).padStart(24, '0'),
  number,
  colour: number % 12 === 0 ? 'red' : 'black',
  published_at: '2024-01-01 00:00:00',
}))

const analyze = {
  sqlite: () => ['analyze'],
  postgres: (table: string) => [`analyze ${table}`],
  mariadb: (table: string) => [`analyze table ${table} persistent for all`],
  mysql: (table: string) => [
    `analyze table ${table}`,
    `analyze table ${table} update histogram on number, colour, published_at`,
  ],
} as const

async function fill({ knex }: World, analyzed: (table: string) => readonly string[]): Promise<void> {
  await knex.batchInsert('stamps', rows, 400)
  for (const published of ['null', 'published_at'])
    await knex.raw(`insert into notes (document_id, number, colour, published_at)
      select document_id, number, colour, ${published} from stamps order by id`)
  for (const statement of ['stamps', 'notes'].flatMap(analyzed)) await knex.raw(statement)
}

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, {
    kind: ['one', 'two', 'three'].map((name) => ({ name })),
  })
  const isExact = database.name === 'sqlite'
  let served: Served

  beforeAll(async () => {
    await fill(world, analyze[database.name])
    served = serve({ permissions })
  }, 120_000)

  const totalOf = async (query: string, role?: string): Promise<Page['meta']['pagination']> => {
    const { meta } = await served.page(query, role)
    return meta.pagination
  }

  /** Estimates differ by the samples of the database. */
  const expectAbout = (pagination: Page['meta']['pagination'], expected: number): void => {
    const { total = NaN } = pagination
    expect(pagination['estimated']).toBe(isExact ? undefined : true)
    expect(total).toBeGreaterThan(expected * (isExact ? 1 : 0.8) - 1)
    expect(total).toBeLessThan(expected * (isExact ? 1 : 1.2) + 1)
  }

  describe(`withCount=estimated on ${database.name}`, () => {
    it('is an estimate for more than 10,000 entries, in each form of pagination', async () => {
      const page = await totalOf('stamps?pagination[withCount]=estimated&pagination[pageSize]=7')
      expectAbout(page, count)
      expect(page['pageCount']).toBe(Math.ceil((page['total'] ?? NaN) / 7))
      expectAbout(await totalOf('stamps?pagination[withCount]=estimated&pagination[start]=5'), count)
      expectAbout(await totalOf('stamps?pagination[withCount]=estimated&pagination[after]='), count)
      expectAbout(await totalOf('stamps?sort=colour&pagination[withCount]=estimated'), count)
    })

    it('is not below the end of the page', async () => {
      const last = { start: count - 1, limit: 1 }
      const page = `pagination[start]=${String(last.start)}&pagination[limit]=1`
      const { total = 0 } = await totalOf(`stamps?${page}&pagination[withCount]=estimated`)
      expect(total).toBeGreaterThanOrEqual(count)
    })

    it.each([
      ['page', 'pagination[page]=999999'],
      ['offset', 'pagination[start]=999999&pagination[limit]=10'],
    ])('is the estimate for an empty page beyond the end, by %s', async (_, page) => {
      expectAbout(await totalOf(`stamps?${page}&pagination[withCount]=estimated`), count)
    })

    it('is not above the start of an empty page', async () => {
      // Every document id contains a zero, and planners guess that most rows match.
      const none = 'filters[documentId][$notContainsi]=0'
      const page = 'pagination[start]=3&pagination[limit]=1&pagination[withCount]=estimated'
      const { total, estimated } = await totalOf(`stamps?${none}&${page}`)
      expect([total, estimated]).toEqual([0, undefined])
    })

    it('estimates the entries that match', async () => {
      expectAbout(
        await totalOf('stamps?filters[colour]=black&pagination[withCount]=estimated'),
        (count * 11) / 12,
      )
    })

    it.each([
      ['kinds?pagination[pageSize]=1', 3],
      ['stamps?filters[colour]=red', 1000],
      [`stamps?filters[number][$gte]=${String(count - 3)}`, 3],
      ['stamps?filters[number]=-1', 0],
    ])('is exact for 10,000 entries or fewer: %s', async (query, total) => {
      const pagination = await totalOf(`${query}&pagination[withCount]=estimated`)
      expect([pagination['total'], pagination['estimated']]).toEqual([total, undefined])
    })

    it('can be the default', async () => {
      const router = serve({ permissions, pagination: { withCount: 'estimated' } })
      const { meta } = await router.page('stamps')
      expectAbout(meta.pagination, count)
      const counted = await router.page('stamps?pagination[withCount]=true')
      expect(counted.meta.pagination).toEqual({ page: 1, pageSize: 25, pageCount: 480, total: count })
    })
  })

  describe(`withCount=estimated with hidden entries on ${database.name}`, () => {
    it.each([
      ['a rule', 'stamps?', 'ruled'],
      ['a rule and a filter', 'stamps?filters[number][$gte]=0', 'ruled'],
      ['a filter through a relation', 'stamps?filters[kind][name][$null]=true', 'public'],
      ['a filter, where drafts are hidden', 'notes?filters[number][$gte]=0', 'public'],
      ['a filter, where drafts are hidden by a rule', 'notes?filters[number][$gte]=0', 'ruledDrafts'],
      ['a publication filter', 'notes?publicationFilter=has-published-version', 'editor'],
    ])('is exact with %s', async (_, query, role) => {
      const pagination = await totalOf(`${query}&pagination[withCount]=estimated`, role)
      expect([pagination['total'], pagination['estimated']]).toEqual([count, undefined])
    })

    it('is exact with a filter on an attribute that some entries hide', async () => {
      const pagination = await totalOf(
        'stamps?filters[colour]=black&pagination[withCount]=estimated',
        'coloured,colouredBlack',
      )
      expect([pagination['total'], pagination['estimated']]).toEqual([(count * 11) / 12, undefined])
    })

    it('is an estimate of all published entries, and of a filter for roles that read drafts', async () => {
      expectAbout(await totalOf('notes?pagination[withCount]=estimated'), count)
      expectAbout(
        await totalOf('notes?filters[colour]=black&pagination[withCount]=estimated', 'editor'),
        (count * 11) / 12,
      )
      expectAbout(await totalOf('notes?status=draft&pagination[withCount]=estimated', 'editor'), count)
    })
  })
})
