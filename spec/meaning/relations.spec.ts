import request from 'supertest'
import type { ContentRouterConfig } from '../../lib'
import type { CompiledLevel, Statement } from '../../lib/sql'
import { onSqlite } from '../support/databases'
import { collection, component, integer, picture, relation, single, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'
import { olderFormat } from '../support/as-strapi'
import { watching } from '../support/watching'

type Definitions = ContentRouterConfig['contentTypes']

onSqlite((database) => {
  describe('to-one relations', () => {
    const leads = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']

    /** More to-one relations than a statement joins. */
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
    ] as unknown as Definitions

    const content = {
      keeper: ['ada', 'bob'].map((name) => ({ $ref: name, name })),
      thing: [
        { $ref: 'hidden', name: 'hidden', $status: 'draft' },
        ...leads.map((name) => ({ $ref: name, name, keeper: 'ada' })),
      ],
      note: [
        {
          $ref: 'one',
          title: 'one',
          number: 1,
          keeper: 'ada',
          cover: { name: 'c.png' },
          seo: { headline: 'h' },
        },
        { $ref: 'two', title: 'two', number: 2, keeper: 'bob' },
        { $ref: 'three', title: 'three', number: 3 },
      ].map((note) => ({ ...note, ...Object.fromEntries(leads.map((name) => [name, name])) })),
    }

    const all = leads.map((name, index) => `populate[${String(index)}]=${name}`).join('&')
    const names = (entry: Entry | undefined): unknown[] =>
      leads.map((lead) => (entry?.[lead] as Entry | null | undefined)?.['name'])
    const keeperOf = (entry: Entry): unknown => (entry['keeper'] as Entry | null)?.['name'] ?? null
    const { serve, world } = stocked(database, types, content)
    let served: Served | undefined
    const api = (): Served => (served ??= serve())

    describe('a to-one relation', () => {
      it('is shown whether it is joined to the page or read by a statement of its own', async () => {
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

      it('shows what is populated below it', async () => {
        const [one] = await api().list('notes?populate[first][populate][keeper][populate]=notes&sort=number')
        expect(one).toMatchObject({ first: { keeper: { name: 'ada', notes: [{ title: 'one' }] } } })
      })

      it('is null if its filter does not match, and the entry stays on the page', async () => {
        const notes = await api().list('notes?populate[keeper][filters][name]=bob&sort=number:desc')
        expect(notes.map((note) => [note['title'], keeperOf(note)])).toEqual([
          ['three', null],
          ['two', 'bob'],
          ['one', null],
        ])
      })
    })

    describe('surplus links of a to-one relation', () => {
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

      it('do not show or count an entry twice', async () => {
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

      it('do not make a short page longer', async () => {
        const { data, meta } = await api().page('notes?populate=keeper&filters[number][$gt]=0')
        expect(data).toHaveLength(3)
        expect(meta.pagination['total']).toBe(3)
      })

      it('do not change the last page', async () => {
        const { data, meta } = await api().page(
          'notes?populate=keeper&pagination[page]=2&pagination[pageSize]=2',
        )
        expect(data.map(({ title }) => title)).toEqual(['three'])
        expect(meta.pagination['total']).toBe(3)
      })
    })
  })

  describe('a relation of a type to itself', () => {
    const inColumn = { useJoinTable: false }

    const types = [
      collection('node', {
        name: text,
        up: relation('manyToOne', 'node', { inversedBy: 'down' }),
        down: relation('oneToMany', 'node', { mappedBy: 'up' }),
        above: relation('manyToOne', 'node', { ...inColumn, inversedBy: 'below' }),
        below: relation('oneToMany', 'node', { mappedBy: 'above' }),
        twin: relation('oneToOne', 'node', inColumn),
        friend: relation('oneToOne', 'node'),
        near: relation('manyToMany', 'node'),
      }),
    ] as unknown as Definitions

    const content = {
      node: [
        { $ref: 'a', name: 'a' },
        { $ref: 'b', name: 'b', up: 'a', above: 'a', twin: 'c', friend: 'c', near: ['a', 'c'] },
        { $ref: 'c', name: 'c', up: 'b', above: 'b', twin: 'a', friend: 'a', near: ['c'] },
        { $ref: 'd', name: 'd', up: 'b', above: 'b' },
      ],
    }

    /** The linked nodes of a, b, c and d. */
    const leads: Readonly<Record<string, readonly (readonly string[])[]>> = {
      up: [[], ['a'], ['b'], ['b']],
      down: [['b'], ['c', 'd'], [], []],
      above: [[], ['a'], ['b'], ['b']],
      below: [['b'], ['c', 'd'], [], []],
      twin: [[], ['c'], ['a'], []],
      friend: [[], ['c'], ['a'], []],
      near: [[], ['a', 'c'], ['c'], []],
    }
    const names = ['a', 'b', 'c', 'd']

    const namesAt = (entry: Entry | null | undefined, field: string): unknown[] => {
      const value = entry?.[field] as Entry | Entry[] | null
      return [value ?? []].flat().map(({ name }) => name)
    }
    const { serve } = stocked(database, types, content)
    const api = (): Served => serve()

    it.each(Object.entries(leads))(
      '%s shows the linked entries, not the entry itself',
      async (field, led) => {
        const nodes = await api().list(`nodes?sort=name&populate[${field}][sort]=name`)
        expect(nodes.map((node) => namesAt(node, field))).toEqual(led)
        const all = await api().list('nodes?sort=name&populate=*')
        expect(all.map((node) => namesAt(node, field).sort())).toEqual(led)
      },
    )

    it.each(Object.entries(leads))('%s can be populated below itself', async (field, led) => {
      const nodes = await api().list(
        `nodes?sort=name&populate[${field}][sort]=name&populate[${field}][populate]=${field}`,
      )
      const below = nodes.map((node) =>
        [node[field] ?? []].flat().map((one) => namesAt(one as Entry, field).sort()),
      )
      expect(below).toEqual(led.map((one) => one.map((name) => led[names.indexOf(name)])))
    })

    it.each(Object.entries(leads))('%s can be filtered by', async (field, led) => {
      for (const name of names) {
        const found = await api().values(`nodes?sort=name&filters[${field}][name]=${name}`, 'name')
        expect(found).toEqual(names.filter((_, index) => led[index]?.includes(name)))
      }
    })
  })

  describe('a relation between entries of a page', () => {
    /** Long texts of a list are read by ids. */
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
    ] as unknown as Definitions

    /** Each is linked to the two before it, and to one that is on no page. */
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
    const { serve } = stocked(database, types, content)
    type Reads = 'page' | 'links' | 'entries'
    const kinds = new Map<Statement, Reads>()
    const read: { readonly kind: Reads; readonly rows: number }[] = []

    /** The statements below the page, by what they read. */
    function noteKinds({ links, targets }: CompiledLevel): void {
      for (const { statement } of links) kinds.set(statement, 'links')
      for (const target of targets) {
        if (target.found.by !== 'rows') kinds.set(target.found.select, 'entries')
        noteKinds(target)
      }
    }
    const reading = watching((event) => {
      if (event.kind === 'plan') noteKinds(event.compiled.root)
      if (event.kind !== 'statement') return
      const { statement, result } = event
      read.push({
        kind: kinds.get(statement) ?? 'page',
        rows: result.outcome === 'read' ? result.rows : 0,
      })
    })
    let served: Served | undefined
    const api = (): Served =>
      (served ??= serve({ extensions: [olderFormat, reading], nestedPagination: true }))
    const friendsOf = ({ friends }: Entry): Entry[] => [...(friends as Entry[])]
    const named = (entries: readonly Entry[]): unknown[] => entries.map(({ name }) => name)

    /** The number of rows that statements of a kind read below the page. */
    async function readBelow(path: string, kind: Reads = 'entries'): Promise<number> {
      await api().list(path)
      read.length = 0
      await api().list(path)
      const below = read.filter((one) => one.kind === kind)
      return below.reduce((sum, { rows }) => sum + rows, 0)
    }

    describe('an entry that is on the page and linked', () => {
      it('is shown in both places, without the populated relations of the page in the second', async () => {
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

      it('is read once', async () => {
        expect(await readBelow(`persons?${young}&populate=friends`)).toBe(1)
        expect(await readBelow(`persons?${young}&fields=story&populate[friends][fields]=story`)).toBe(1)
      })

      it('is read again if its fields, filters or sort differ from those of the page', async () => {
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
      ])('is shown only as populate requests it: %s', async (query, expected) => {
        const [last] = (await api().list(`persons?${young}&${query}`)).slice(-1)
        expect(named(friendsOf(last ?? {})).toSorted()).toEqual(expected.toSorted())
        if (query.includes('sort')) expect(named(friendsOf(last ?? {}))).toEqual(expected)
      })

      it('shows deeper levels only where they are populated', async () => {
        const path = `persons?${young}&populate[friends][populate]=friends`
        const [, , cid] = await api().list(path)
        const [ann, bea] = friendsOf(cid ?? {})
        expect([ann, bea].map((one) => one?.['name'])).toEqual(['ann', 'bea'])
        expect(named(friendsOf(ann ?? {}))).toEqual(['apart'])
        const [first] = friendsOf(bea ?? {})
        expect(first).toMatchObject({ name: 'ann', story: 'the story of "ann"' })
        expect(first).not.toHaveProperty('friends')
      })

      it('is shown in the response format of Strapi 4', async () => {
        const asked = request(api().app).get(`/api/persons?${young}&populate=friends`)
        const answer = await asked.set('Strapi-Response-Format', 'v4')
        const [ann, bea] = (answer.body as { data: { attributes: Entry }[] }).data
        const { friends: none, ...own } = ann?.attributes ?? {}
        expect(none).toMatchObject({ data: [{ attributes: { name: 'apart' } }] })
        expect(own).toMatchObject({ name: 'ann', story: 'the story of "ann"' })
        expect(bea?.attributes['friends']).toMatchObject({ data: [{ ...ann, attributes: own }, {}] })
        expect(JSON.stringify(bea?.attributes['friends'])).not.toContain('friends')
      })

      it('is shown in every locale', async () => {
        const persons = await api().list(`persons?${young}&locale=*&populate=localizations&sort[1]=locale`)
        expect(persons).toHaveLength(2 * names.length)
        for (const { name, localizations } of persons) {
          const other = String(name).endsWith('(fr)') ? String(name).slice(0, 3) : `${String(name)} (fr)`
          expect(named((localizations as { data: Entry[] }).data)).toEqual([other])
        }
        expect(await readBelow(`persons?${young}&locale=*&populate=localizations`)).toBe(0)
      })
    })

    describe('localizations of an entry on the page', () => {
      it('are read in the same statements as other relations', async () => {
        await api().list('persons')
        read.length = 0
        await api().list(`persons?${young}&populate=*`)
        expect(read.map(({ kind }) => kind)).toEqual(['page', 'links', 'entries'])
      })

      it('are read without the entry itself and without drafts', async () => {
        expect(await readBelow(`persons?${young}&populate=localizations`, 'links')).toBe(names.length)
        expect(await readBelow(`persons?${young}&populate=localizations`)).toBe(names.length)
      })

      it.each([
        ['populate[localizations][filters][name][$contains]=an', ['ann (fr)']],
        ['populate[localizations][filters][friends][name]=apart', []],
        ['populate[localizations][fields]=name&fields=age', names.map((name) => `${name} (fr)`)],
      ])('accept filters and fields: %s', async (query, expected) => {
        const persons = await api().list(`persons?${young}&${query}`)
        const shown = persons.flatMap(({ localizations }) => (localizations as { data: Entry[] }).data)
        expect(named(shown)).toEqual(expected)
      })
    })
  })

  describe('the related relation of a file', () => {
    const types = [
      collection('zebra', { name: text, photo: picture }),
      collection('ant', { name: text, photo: picture }),
    ] as unknown as Definitions
    const { serve } = stocked(database, types, {
      'plugin::upload.file': [{ $ref: 'one', name: 'one.png', url: '/one.png' }],
      zebra: [{ name: 'Zebra', photo: 'one' }],
      ant: [{ name: 'Ant', photo: 'one' }],
    })

    it('sorts the entries that a file is related to by their type if their ids are equal', async () => {
      const { list } = serve()
      for (const path of ['ants', 'zebras']) {
        const [entry] = await list(`${path}?populate[photo][populate][related]=true`)
        const { related } = entry?.['photo'] as { readonly related: readonly Entry[] }
        expect(related.map(({ id, name }) => [id, name])).toEqual([
          [1, 'Ant'],
          [1, 'Zebra'],
        ])
      }
    })
  })
})
