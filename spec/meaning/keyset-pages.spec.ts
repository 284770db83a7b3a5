import { onSqlite } from '../support/databases'
import {
  expectSameBothWays,
  ids,
  keys,
  kinds,
  pageOf,
  several,
  things,
  walk,
  whole,
} from '../support/keyset-walks'
import { library } from '../support/library'
import { stocked } from '../support/served'

const far = [
  ...['part.label', 'part.light', 'part.good', 'part.id', 'parts.$count', 'part.inner.$count', 'rows.$count'],
]

const throughLists = [
  ...['parts.label', 'parts.id', 'rows.value:desc', 'part.things.name', 'parts.inner.label'],
  'parts.inner.$count',
]

onSqlite((database) => {
  describe('pages by cursors', () => {
    const shelf = stocked(database, kinds, things)

    it.each([...keys, ...far])('show each entry once, sorted by %s', async (sort) => {
      await expectSameBothWays(shelf.serve(), `things?sort=${sort}`, 2)
      await expectSameBothWays(shelf.serve(), `things?sort=${sort}:desc`, 5)
    })

    it.each(several)('show each entry once, sorted by several keys: %s', async (sort) => {
      await expectSameBothWays(shelf.serve(), `things?sort=${sort}`, 2)
    })

    it('are sorted by id by default', async () => {
      for (const size of [1, 3, 100]) await expectSameBothWays(shelf.serve(), 'things?', size)
    })

    it('work with filters, search and populate', async () => {
      const list =
        'things?filters[parts][$none][label]=a&filters[rank][$null]=true&populate=part,parts&sort=name:desc'
      const served = shelf.serve()
      const pages = await walk(served, list, 'after', 2)
      expect(pages.flatMap(({ data }) => data)).toEqual(await served.list(`${list}&pagination[pageSize]=100`))
      expect(pages.length).toBeGreaterThan(1)
      expect((await walk(served, 'things?_q=b&sort=at', 'after', 1)).flatMap(ids)).toEqual(
        await whole(served, 'things?_q=b&sort=at'),
      )
    })

    it('have a size and cursors in meta, and a total only if requested', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(served, 'things?pagination[after]=&pagination[pageSize]=5')
      const { startCursor, endCursor, ...rest } = pagination
      expect(rest).toEqual({ pageSize: 5, hasNextPage: true, hasPreviousPage: false })
      expect([startCursor, endCursor]).toEqual([
        expect.stringMatching(/^[\w-]+$/),
        expect.stringMatching(/^[\w-]+$/),
      ])
      const counted = `things?pagination[pageSize]=5&pagination[withCount]=true&pagination[after]=${String(endCursor)}`
      expect((await pageOf(served, counted)).pagination).toMatchObject({
        ...{ hasNextPage: true, hasPreviousPage: true, total: 12, pageCount: 3 },
      })
    })

    it('have no cursors if the list is empty', async () => {
      const nothing = {
        pageSize: 25,
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      }
      for (const side of ['after', 'before']) {
        const { data, pagination } = await pageOf(
          shelf.serve(),
          `things?filters[name]=no&pagination[${side}]`,
        )
        expect([data, pagination]).toEqual([[], nothing])
      }
    })

    it('have a previous page behind the last entry', async () => {
      const served = shelf.serve()
      const last = await pageOf(served, 'things?sort=name&pagination[before]=&pagination[pageSize]=1')
      const beyond = `things?sort=name&pagination[withCount]=1&pagination[after]=${String(last.pagination.endCursor)}`
      expect(await pageOf(served, beyond)).toEqual({
        data: [],
        pagination: {
          ...{ pageSize: 25, hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
          ...{ pageCount: 1, total: 12 },
        },
      })
    })

    it('accept a cursor with other fields and another notation of the same sort', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(
        served,
        'things?sort=name&pagination[after]=&pagination[pageSize]=5',
      )
      const cursor = String(pagination.endCursor)
      const rest = (await whole(served, 'things?sort=name')).slice(5)
      const others = [
        'sort[]=name:asc&fields=name',
        'sort[name]=asc&populate=*',
        'sort=%20name&pagination[pageSize]=90',
      ]
      for (const other of others) {
        expect(ids(await pageOf(served, `things?${other}&pagination[after]=${cursor}`))).toEqual(rest)
      }
    })

    it('reject a cursor of another type, sort or filter', async () => {
      const served = shelf.serve()
      const { pagination } = await pageOf(
        served,
        'things?sort=name&pagination[after]=&pagination[pageSize]=5',
      )
      const cursor = String(pagination.endCursor)
      const refusal = {
        message: 'Invalid cursor: the cursor does not belong to this query',
        path: 'pagination.after',
      }
      for (const other of [
        ...[
          'things?',
          'things?sort=name:desc',
          'things?sort=name,rank',
          'things?sort=rank',
          'parts?sort=name',
        ],
        ...['things?sort=name&filters[rank]=2', 'things?sort=name&_q=b', 'parts?sort=label'],
      ]) {
        const refused = await served.refusal(
          `${other}${other.endsWith('?') ? '' : '&'}pagination[after]=${cursor}`,
        )
        expect(other === 'parts?sort=name' ? { ...refused, ...refusal } : refused).toEqual(refusal)
      }
    })

    it.each([
      'pagination[after]=&pagination[page]=1',
      'pagination[after]=&pagination[start]=0',
      'pagination[before]=&pagination[limit]=2',
      'pagination[after]=&pagination[before]=',
      'pagination[after][]=x',
      'pagination[after][a]=x',
      'pagination[after]=x&pagination[after]=y',
      'pagination[after]=nonsense',

      'pagination[after]=W10',
      'pagination[after]=%00',
      'pagination[after]=&pagination[pageSize]=x',
    ])('reject invalid parameters: %s', async (pages) => {
      const served = shelf.serve()
      const { path } = await served.refusal(`things?${pages}`)
      expect(path).toMatch(/^pagination/)
    })
  })

  describe('a forged cursor', () => {
    const shelf = stocked(database, kinds, things)
    const forged = (list: string, told: readonly unknown[]): string =>
      Buffer.from(JSON.stringify([list, ...told])).toString('base64url')

    it('exposes nothing of a type that the role may not read', async () => {
      const served = shelf.serve({ permissions: { public: { find: ['thing'] } } })
      const unknown = await served.refusal('things?sort=nothing.label&pagination[after]=')
      const hidden = await served.refusal('things?sort=part.label&pagination[after]=')
      expect(hidden.message).toBe(unknown.message.replace('nothing', 'part'))
      const throughList = await served.refusal('things?sort=parts.label&pagination[after]=')
      expect(throughList.message).toBe(unknown.message.replace('nothing', 'parts'))
      const { pagination } = await pageOf(
        shelf.serve(),
        'things?sort=part.label&pagination[after]=&pagination[pageSize]=1',
      )
      const [list] = JSON.parse(Buffer.from(String(pagination.endCursor), 'base64url').toString()) as [string]
      for (const key of ['tb', 'n1', null]) {
        expect(
          await served.refusal(`things?sort=part.label&pagination[after]=${forged(list, [1, key])}`),
        ).toEqual(hidden)
      }
    })
  })

  describe('a value that is too long for a cursor', () => {
    const long = 'x'.repeat(1100)
    const shelf = stocked(database, kinds, {
      thing: [
        { name: 'a', body: 'short' },
        { name: 'b', body: long },
        { name: 'c', body: `${long}y` },
      ],
    })

    it('is a 400 that says so, and numbered pages still work', async () => {
      const served = shelf.serve()
      const page = 'things?sort=body&pagination[pageSize]=1&pagination[after]='
      const { pagination } = await pageOf(served, page)
      const refused = await served.refusal(page + String(pagination.endCursor))
      expect(refused.message).toContain('this page has a sort value that a cursor cannot contain')
      expect(refused.path).toBe('pagination.after')
      expect(
        await served.values('things?sort=body&pagination[pageSize]=1&pagination[page]=2', 'name'),
      ).toEqual(['b'])
    })
  })

  describe('cursors that there are none of', () => {
    const shelf = stocked(database, kinds, things)

    it.each(throughLists)('are rejected for a sort through many entries: %s', async (sort) => {
      const served = shelf.serve()
      for (const side of ['after', 'before']) {
        const { message, path } = await served.refusal(`things?sort=name,${sort}&pagination[${side}]=`)
        expect(message).toMatch(
          /a to-many relation\. Sort by an attribute of the entry or of a to-one relation/,
        )
        expect(path).toBe(`pagination.${side}`)
      }
      expect(await whole(served, `things?sort=name,${sort}`)).toHaveLength(12)
    })

    it('are rejected for populated relations', async () => {
      const served = shelf.serve({ nestedPagination: true })
      const parts = 'parts?fields=label&populate[things][pagination]'
      for (const side of ['after', 'before']) {
        const { message, path } = await served.refusal(`${parts}[${side}]=&${parts}[pageSize]=1`)
        expect(message).toMatch(
          /populated relations have no cursors\. Request the related type itself with a filter/,
        )
        expect(path).toBe(`populate.things.pagination.${side}`)
      }
      const unknown = await served.refusal(`${parts}[behind]=x`)
      expect(unknown.path).toBe('populate.things.pagination.behind')
    })
  })

  describe('pages by cursors during writes', () => {
    const shelf = stocked(database, library, {
      genre: Array.from({ length: 60 }, (_, at) => ({ name: `stands ${String(at % 7)}` })),
    })

    it('show every entry once that existed throughout', async () => {
      const served = shelf.serve()
      const { knex } = shelf.world
      const stood = new Set(await whole(served, 'genres?sort=name'))
      const over = new AbortController()
      const idOf = (round: number): string => `w${String(round)}`.padEnd(24, 'x')
      // Each new row is deleted again: a list that grows faster than it is read has no end.
      const writing = (async () => {
        for (let round = 0; !over.signal.aborted; round += 1) {
          await knex('genres').insert({ document_id: idOf(round), name: `stands ${String(round % 9)}` })
          const gone = round % 2 === 0 ? round : round - 10
          await knex('genres').where('document_id', idOf(gone)).delete()
          await new Promise((resolve) => setTimeout(resolve, 2))
        }
      })()
      for (const [sort, side] of [
        ['name', 'after'],
        ['name:desc', 'before'],
        ['books.$count,name', 'after'],
      ] as const) {
        const pages = await walk(served, `genres?sort=${sort}`, side, 3)
        const shown = pages.flatMap(ids).filter((id) => stood.has(id))
        expect(shown.length).toBe(60)
        expect(new Set(shown)).toEqual(stood)
      }
      over.abort()
      await writing
    })
  })
})
