import request from 'supertest'
import { onSqlite } from '../support/databases'
import { hearing } from '../support/hearing'
import { collection, integer, relation, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

/** Friends are a list, of which long texts are read by their ids. */
const types = [
  collection(
    'person',
    {
      story: { type: 'text' },
      name: text,
      age: integer,
      friends: relation('manyToMany', 'person', { inversedBy: 'befriended' }),
      befriended: relation('manyToMany', 'person', { mappedBy: 'friends' }),
    },
    { drafts: true, localized: true },
  ),
] as unknown as Parameters<typeof stocked>[1]

/** Each leads to the two before it and to one that no page shows. */
const names = ['ann', 'bea', 'cid', 'dov', 'eve']
const content = {
  $locales: ['en', 'fr'],
  person: [
    { $ref: 'apart', name: 'apart', age: 99, story: 'apart' },
    { $ref: 'hidden', name: 'hidden', age: 50, story: 'hidden', $status: 'draft' },
    ...names.map((name, age) => ({
      $ref: name,
      name,
      age,
      story: `the story of "${name}"`,
      friends: [...names.slice(Math.max(0, age - 2), age), 'apart', 'hidden'],
      $locales: { fr: { name: `${name} (fr)`, age } },
    })),
  ],
}

const young = 'filters[age][$lt]=20&sort=age'

onSqlite((database) => {
  const { serve } = stocked(database, types, content)
  const told = hearing()
  let served: Served | undefined
  const api = (): Served => (served ??= serve({ ...told.hooks, nestedPagination: true }))
  const friendsOf = ({ friends }: Entry): Entry[] => [...(friends as Entry[])]
  const named = (entries: readonly Entry[]): unknown[] => entries.map(({ name }) => name)

  type Reads = (typeof told.statements)[number]['reads']

  /** How many rows statements of a kind read below the page. */
  async function readBelow(path: string, kind: Reads = 'entries'): Promise<number> {
    await api().list(path)
    await told.ask(api(), path)
    const below = told.statements.filter(
      ({ reads, paths }) => reads === kind && (kind === 'links' || paths.length > 0),
    )
    return below.reduce((sum, event) => sum + (event.outcome === 'read' ? event.rows : 0), 0)
  }

  describe('an entry that a page shows and leads to', () => {
    it('is shown there with all it has, and without what only the page populates', async () => {
      const people = await api().list(`persons?${young}&populate=friends`)
      expect(named(people)).toEqual(names)
      expect(people.map((person) => named(friendsOf(person)))).toEqual(
        names.map((_, age) => [...names.slice(Math.max(0, age - 2), age), 'apart']),
      )
      for (const person of people) {
        const { friends, ...own } = person
        expect(friends).toBeDefined()
        const shown = people.flatMap(friendsOf).filter(({ id }) => id === own['id'])
        for (const one of shown) expect(one).toEqual(own)
      }
    })

    it('is not read once more', async () => {
      expect(await readBelow(`persons?${young}&populate=friends`)).toBe(1)
      expect(await readBelow(`persons?${young}&fields=story&populate[friends][fields]=story`)).toBe(1)
    })

    it('is read where it is asked for otherwise than the page', async () => {
      const friends = ['ann', 'bea', 'cid', 'dov', 'apart'].length
      for (const query of ['[fields]=story', '[sort]=age', '[filters][age][$gte]=0'])
        expect(await readBelow(`persons?${young}&populate[friends]${query}`)).toBe(friends)
    })

    it.each([
      ['populate[friends][fields]=name', ['dov', 'cid', 'apart']],
      ['populate[friends][filters][name][$ne]=cid', ['dov', 'apart']],
      ['populate[friends][filters][age][$gt]=2', ['dov', 'apart']],
      ['populate[friends][sort]=age:desc', ['apart', 'dov', 'cid']],
      ['populate[friends][pagination][pageSize]=2', ['cid', 'dov']],
    ])('is there only as it was asked for: %s', async (query, expected) => {
      const [last] = (await api().list(`persons?${young}&${query}`)).slice(-1)
      expect(named(friendsOf(last ?? {})).toSorted()).toEqual(expected.toSorted())
      if (query.includes('sort')) expect(named(friendsOf(last ?? {}))).toEqual(expected)
    })

    it('leads on where that was asked for, and only there', async () => {
      const path = `persons?${young}&populate[friends][populate]=friends`
      const [, , cid] = await api().list(path)
      const [ann, bea] = friendsOf(cid ?? {})
      expect([ann, bea].map((one) => one?.['name'])).toEqual(['ann', 'bea'])
      expect(named(friendsOf(ann ?? {}))).toEqual(['apart'])
      const [first] = friendsOf(bea ?? {})
      expect(first).toMatchObject({ name: 'ann', story: 'the story of "ann"' })
      expect(first).not.toHaveProperty('friends')
    })

    it('is there in Strapi 4’s form as well', async () => {
      const asked = request(api().app).get(`/api/persons?${young}&populate=friends`)
      const answer = await asked.set('Strapi-Response-Format', 'v4')
      const [ann, bea] = (answer.body as { data: { attributes: Entry }[] }).data
      const { friends: none, ...own } = ann?.attributes ?? {}
      expect(none).toMatchObject({ data: [{ attributes: { name: 'apart' } }] })
      expect(own).toMatchObject({ name: 'ann', story: 'the story of "ann"' })
      expect(bea?.attributes['friends']).toMatchObject({ data: [{ ...ann, attributes: own }, {}] })
      expect(JSON.stringify(bea?.attributes['friends'])).not.toContain('friends')
    })

    it('is there in every language', async () => {
      const persons = await api().list(`persons?${young}&locale=*&populate=localizations&sort[1]=locale`)
      expect(persons).toHaveLength(2 * names.length)
      for (const { name, localizations } of persons) {
        const other = String(name).endsWith('(fr)') ? String(name).slice(0, 3) : `${String(name)} (fr)`
        expect(named((localizations as { data: Entry[] }).data)).toEqual([other])
      }
      expect(await readBelow(`persons?${young}&locale=*&populate=localizations`)).toBe(0)
    })
  })

  describe('the other languages of an entry', () => {
    it('are looked for together with all else that it leads to', async () => {
      await api().list('persons')
      await told.ask(api(), `persons?${young}&populate=*`)
      expect(told.statements.map(({ reads }) => reads)).toEqual(['entries', 'links', 'entries'])
    })

    it('are all that is found of its document: neither itself nor a draft', async () => {
      expect(await readBelow(`persons?${young}&populate=localizations`, 'links')).toBe(names.length)
      expect(await readBelow(`persons?${young}&populate=localizations`)).toBe(names.length)
    })

    it.each([
      ['populate[localizations][filters][name][$contains]=an', ['ann (fr)']],
      ['populate[localizations][filters][friends][name]=apart', []],
      ['populate[localizations][fields]=name&fields=age', names.map((name) => `${name} (fr)`)],
    ])('are filtered and cut as they were asked for: %s', async (query, expected) => {
      const persons = await api().list(`persons?${young}&${query}`)
      const shown = persons.flatMap(({ localizations }) => (localizations as { data: Entry[] }).data)
      expect(named(shown)).toEqual(expected)
    })
  })
})
