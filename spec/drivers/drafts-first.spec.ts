import type { ContentRouterConfig } from '../../lib'
import { describeOn, eachDatabase, testDatabase, type World } from '../support/databases'
import { collection, integer } from '../support/library'
import { stocked } from '../support/served'
import { watchingSql } from '../support/watching'

const types = [
  collection('note', { number: integer }, { drafts: true }),
  collection('page', { number: integer }, { drafts: true, localized: true }),
] as unknown as ContentRouterConfig['contentTypes']

const permissions = { public: { find: '*' }, editor: { find: '*', drafts: '*' } } as const

interface Edges {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly endCursor: string
}

/** All drafts, then their published versions, as after a bulk publish. */
async function fill(
  { knex, config }: World,
  table: string,
  count: number,
  locales: readonly (string | null)[],
): Promise<void> {
  const published = config.client === 'better-sqlite3' ? Date.UTC(2024, 0) : '2024-01-01 00:00:00'
  for (const published_at of [null, published])
    for (const locale of locales)
      await knex.batchInsert(
        table,
        Array.from({ length: count }, (_, number) => ({
          document_id: String(number).padStart(24, '0'),
          ...{ number, locale, published_at },
        })),
        400,
      )
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number)

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, {})

  beforeAll(async () => {
    await fill(world, 'notes', 12, [null])
    await fill(world, 'pages', 12, ['en', 'de'])
  })

  describe('a list behind its drafts', () => {
    it.each([
      ['notes?', 'public'],
      ['notes?status=draft', 'editor'],
      ['notes?filters[number][$gte]=3', 'public'],
      ['notes?filters[number][$gte]=3&status=draft', 'editor'],
      ['notes?filters[$or][0][number]=3&filters[$or][1][number]=9', 'public'],
      ['notes?filters[publishedAt][$gt]=2020-01-01&filters[number][$ne]=4', 'public'],
      ['pages?locale=en&filters[number][$lt]=5', 'public'],
      ['pages?locale=de&filters[number][$lt]=5', 'public'],
      ['pages?locale=de&status=draft&filters[number][$lt]=5', 'editor'],
    ])('is complete and in order: %s', async (query, role) => {
      const matches = (number: number): boolean => {
        if (query.includes('$or')) return [3, 9].includes(number)
        if (query.includes('$gte')) return number >= 3
        if (query.includes('$lt')) return number < 5
        return !query.includes('$ne') || number !== 4
      }
      const expected = upTo(12).filter(matches)
      const { values, page } = serve({ permissions })
      expect(await values(query, 'number', role)).toEqual(expected)
      const shown: unknown[] = []
      for (let after: string | null = ''; after !== null;) {
        const { data, meta } = await page(`${query}&pagination[pageSize]=2&pagination[after]=${after}`, role)
        const { hasNextPage, hasPreviousPage, endCursor } = meta.pagination as unknown as Edges
        expect([hasPreviousPage, hasNextPage]).toEqual([
          after !== '',
          shown.length + data.length < expected.length,
        ])
        shown.push(...data.map(({ number }) => number))
        after = hasNextPage ? endCursor : null
      }
      expect(shown).toEqual(expected)
    })

    it('is empty if no version matches', async () => {
      const { list } = serve({ permissions })
      expect(await list('notes?filters[publishedAt][$gt]=2030-01-01&filters[number][$gte]=0')).toEqual([])
    })
  })
})

interface Explained {
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Explained[]
}

const removedIn = ({ Plans = [], ...plan }: Explained): number =>
  Plans.reduce((sum, part) => sum + removedIn(part), plan['Rows Removed by Filter'] ?? 0)

describeOn(['postgres'])('a list behind 5,000 drafts on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, {})

  beforeAll(async () => {
    await fill(world, 'notes', 5000, [null])
    await world.knex.raw('vacuum analyze notes')
  }, 60_000)

  it.each([
    '',
    'filters[number][$notNull]=true',
    'filters[publishedAt][$notNull]=true',
    'pagination[after]=',
  ])('is read without the drafts: %s', async (query) => {
    const statements: string[] = []
    const onSql = watchingSql((sql) => statements.push(sql))
    const { page } = serve({ permissions, extensions: [onSql] })
    const first = await page(
      `notes?${query}&pagination[withCount]=false`.replace('after]=&pagination[withCount]=false', 'after]='),
    )
    const { endCursor } = first.meta.pagination as unknown as Partial<Edges>
    if (endCursor !== undefined) await page(`notes?pagination[after]=${endCursor}`)
    expect(statements.length).toBe(endCursor === undefined ? 1 : 2)
    for (const sql of statements) {
      const { rows } = await world.knex.raw<{ rows: { 'QUERY PLAN': [{ Plan: Explained }] }[] }>(
        `explain (analyze, format json) ${sql.replaceAll(/\$\d+/g, '5025')}`,
      )
      const [row] = rows
      expect(row && removedIn(row['QUERY PLAN'][0].Plan)).toBeLessThan(100)
    }
  })
})
