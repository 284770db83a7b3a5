import { onSqlite } from '../support/databases'
import { collection, component, integer, picture, relation, single, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const leads = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

/** Notes that lead to one of everything, which is more than comes along in one statement. */
const types = [
  collection('note', {
    title: text,
    number: integer,
    cover: picture,
    seo: single('shared.seo'),
    keeper: relation('manyToOne', 'keeper', { inversedBy: 'notes' }),
    ...Object.fromEntries(leads.map((name) => [name, relation('oneToOne', 'thing')])),
  }),
  collection('thing', { name: text, keeper: relation('manyToOne', 'keeper') }, { drafts: true }),
  component('shared.seo', { headline: text }),
  collection('keeper', { name: text, notes: relation('oneToMany', 'note', { mappedBy: 'keeper' }) }),
] as unknown as Parameters<typeof stocked>[1]

const content = {
  keeper: ['ada', 'bob'].map((name) => ({ $ref: name, name })),
  thing: [
    { $ref: 'hidden', name: 'hidden', $status: 'draft' },
    ...leads.map((name) => ({ $ref: name, name, keeper: 'ada' })),
  ],
  note: [
    { $ref: 'one', title: 'one', number: 1, keeper: 'ada', cover: { name: 'c.png' }, seo: { headline: 'h' } },
    { $ref: 'two', title: 'two', number: 2, keeper: 'bob' },
    { $ref: 'three', title: 'three', number: 3 },
  ].map((note) => ({ ...note, ...Object.fromEntries(leads.map((name) => [name, name])) })),
}

const all = leads.map((name, index) => `populate[${String(index)}]=${name}`).join('&')
const names = (entry: Entry | undefined): unknown[] =>
  leads.map((lead) => (entry?.[lead] as Entry | null | undefined)?.['name'])
const keeperOf = (entry: Entry): unknown => (entry['keeper'] as Entry | null)?.['name'] ?? null

onSqlite((database) => {
  const { serve, world } = stocked(database, types, content)
  let served: Served | undefined
  const api = (): Served => (served ??= serve())

  describe('what an entry leads to one of', () => {
    it('is there, however much of it comes along and however much is read apart', async () => {
      const [one, ...others] = await api().list(`notes?${all}&populate[9]=cover&populate[10]=keeper`)
      expect(names(one)).toEqual(leads)
      expect(one).toMatchObject({ cover: { name: 'c.png' }, keeper: { name: 'ada' } })
      expect(others.map(({ cover, keeper }) => [cover, (keeper as Entry | null)?.['name']])).toEqual([
        [null, 'bob'],
        [null, undefined],
      ])
      const single = await api().get(`notes/${String(one?.['documentId'])}?${all}`)
      expect(names((single.body as { data: Entry }).data)).toEqual(leads)
    })

    it('leads on to what is populated below it', async () => {
      const [one] = await api().list('notes?populate[first][populate][keeper][populate]=notes&sort=number')
      expect(one).toMatchObject({ first: { keeper: { name: 'ada', notes: [{ title: 'one' }] } } })
    })

    it('is missing where its own filter says so, and the entries are not', async () => {
      const notes = await api().list('notes?populate[keeper][filters][name]=bob&sort=number:desc')
      expect(notes.map((note) => [note['title'], keeperOf(note)])).toEqual([
        ['three', null],
        ['two', 'bob'],
        ['one', null],
      ])
    })
  })

  describe('links that a to-one relation should not have', () => {
    beforeAll(async () => {
      const idOf = async (table: string, where: object): Promise<number> => {
        const row: { id: number } | undefined = await world.knex(table).where(where).first('id')
        return row?.id ?? 0
      }
      const [note, bob] = [await idOf('notes', { number: 1 }), await idOf('keepers', { name: 'bob' })]
      await world.knex('notes_keeper_lnk').insert({ note_id: note, keeper_id: bob, note_ord: 9 })
      const hidden = await idOf('things', { name: 'hidden' })
      for (const lead of leads.slice(0, 3))
        await world.knex(`notes_${lead}_lnk`).insert({ note_id: note, thing_id: hidden })
    })

    it('neither show an entry twice nor count it so', async () => {
      for (const query of [
        '',
        '&sort=number',
        '&filters[number][$gt]=0',
        '&filters[number][$gt]=0&sort=number',
      ]) {
        const { data, meta } = await api().page(
          `notes?${all}&populate[9]=keeper&pagination[pageSize]=2${query}`,
        )
        expect(data.map(({ title }) => title)).toEqual(['one', 'two'])
        expect(data.map(keeperOf)).toEqual(['ada', 'bob'])
        expect(data.map(names)).toEqual([leads, leads])
        expect(meta.pagination).toEqual({ page: 1, pageSize: 2, pageCount: 2, total: 3 })
      }
    })

    it('make no short page longer', async () => {
      const { data, meta } = await api().page('notes?populate=keeper&filters[number][$gt]=0')
      expect(data).toHaveLength(3)
      expect(meta.pagination['total']).toBe(3)
    })

    it('leave the last page what it is', async () => {
      const { data, meta } = await api().page(
        'notes?populate=keeper&pagination[page]=2&pagination[pageSize]=2',
      )
      expect(data.map(({ title }) => title)).toEqual(['three'])
      expect(meta.pagination['total']).toBe(3)
    })
  })
})
