import { collection, integer, relation } from '../support/library'
import { stocked, type Entry } from '../support/served'
import { onSqlite } from '../support/databases'
import type { ContentRouterConfig } from '../../lib'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>

const crowd = [
  collection('folder', { place: integer, papers: relation('manyToMany', 'paper') }),
  collection('paper', { place: integer, body: { type: 'text' } }),
  collection('node', { place: integer, next: relation('manyToMany', 'node') }),
] as unknown as Definitions

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const folders = 100
const papersEach = 50
/** Folder 3 begins with paper 199 and ends with paper 150: backwards, so that no order of ids passes for the editor's. */
const papersOf = (folder: number): number[] =>
  range(papersEach).map((place) => folder * papersEach + papersEach - 1 - place)

const nodes = 25
const nextOf = (node: number): number[] => [1, 2, 3].map((step) => (node * 2 + step) % nodes)

/** From node 0 always on to the first of the next. */
const chain = range(30).reduce<number[]>((known) => [...known, nextOf(known.at(-1) ?? 0)[0] ?? 0], [])

/** What so many levels below a node are, worked out without a database. */
function treeBelow(node: number, levels: number): object {
  return levels === 0
    ? { place: node }
    : { place: node, next: nextOf(node).map((one) => treeBelow(one, levels - 1)) }
}

function placesIn(node: unknown): object {
  const { place, next } = node as { place: number; next?: unknown[] }
  return next === undefined ? { place } : { place, next: next.map(placesIn) }
}

onSqlite((database) => {
  describe('large answers', () => {
    const { serve, world } = stocked(database, crowd, {
      paper: range(folders * papersEach).map((place) => ({ $ref: `p${String(place)}`, place })),
      folder: range(folders).map((place) => ({
        place,
        papers: papersOf(place).map((paper) => `p${String(paper)}`),
      })),
      node: range(nodes).map((place) => ({
        $ref: `n${String(place)}`,
        place,
        next: nextOf(place).map((node) => `n${String(node)}`),
      })),
    })

    it('hold a hundred entries with five thousand related ones, each in its place', async () => {
      const query = 'populate[papers][fields]=place&pagination[pageSize]=100'
      const entries = await serve().list(`folders?${query}`)
      const found = entries.map(({ papers }) => (papers as Entry[]).map(({ place }) => place))
      expect(found).toEqual(range(folders).map(papersOf))
    })

    it('hold related entries in the order that is asked for, entry by entry', async () => {
      const query =
        'populate[papers][fields]=place&populate[papers][sort]=place&populate[papers][filters][place][$gte]=2500'
      const entries = await serve().list(`folders?${query}&pagination[pageSize]=100`)
      const found = entries.map(({ papers }) => (papers as Entry[]).map(({ place }) => place))
      const expected = range(folders).map((folder) =>
        [...papersOf(folder)].reverse().filter((place) => place >= 2500),
      )
      expect(found).toEqual(expected)
    })

    // Short columns come with the links, a long text by the ids that the links name.
    it.each(['&populate[papers][fields]=place', ''])(
      'keep the order that is asked for through more related entries than one list of ids holds: %s',
      async (fields) => {
        const many = range(10_500)
        const id = (row: number): number => 1_000_000 + row
        const { knex } = world
        const document = { document_id: 'heap', published_at: new Date() }
        const papers = many.map((row) => ({ ...document, id: id(row), place: many.length - row }))
        const links = many.map((row) => ({ folder_id: id(0), paper_id: id(row), paper_ord: row }))
        await knex('folders').insert({ ...document, id: id(0), place: -1 })
        await knex.batchInsert('papers', papers, 400)
        await knex.batchInsert('folders_papers_lnk', links, 400)
        const query = `filters[place]=-1&populate[papers][sort]=place${fields}`
        const [entry] = await serve().list(`folders?${query}`)
        await knex('folders_papers_lnk')
          .where({ folder_id: id(0) })
          .delete()
        for (const table of ['papers', 'folders']) await knex(table).where('id', '>=', id(0)).delete()
        expect((entry?.['papers'] as Entry[]).map(({ place }) => place)).toEqual(many.map((row) => row + 1))
      },
    )

    it('hold twenty-five entries with lists six levels deep', async () => {
      const query = `populate=${Array(6).fill('next').join('.')}`
      const generous = serve({ query: { maxEntries: 50_000 } })
      const entries = await generous.list(`nodes?${query}&pagination[pageSize]=25`)
      expect(entries.map(placesIn)).toEqual(range(nodes).map((node) => treeBelow(node, 6)))
    })

    it('hold a chain of thirty levels', async () => {
      const filter = 'filters[place]=0&pagination[pageSize]=1'
      const limits = range(30)
        .map(
          (depth) =>
            `populate${'[next][populate]'.repeat(depth)}[next][filters][place]=${String(chain[depth])}`,
        )
        .join('&')
      const [entry] = await serve().list(`nodes?${filter}&${limits}`)
      const found: unknown[] = []
      let place: Entry | undefined = entry
      while (place !== undefined) {
        found.push(place['place'])
        place = (place['next'] as Entry[] | undefined)?.[0]
      }
      expect(found).toEqual([0, ...chain])
    })
  })
})
