import type { ContentRouterConfig, Grant } from '../../lib'
import { eachDatabase } from '../support/databases'
import {
  collection,
  component,
  picture,
  pictures,
  relation,
  repeated,
  single,
  text,
} from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const fileUid = 'plugin::upload.file'

eachDatabase((database) => {
  describe('attributes whose names differ only in case or accents', () => {
    /** Their links are found by a name in a column, which collations of MySQL and MariaDB take for that of the twin. */
    const leading = {
      seal: picture,
      scans: pictures,
      part: single('part.line'),
      parts: repeated('part.line'),
      zone: { type: 'dynamiczone', components: ['part.line', 'part.other'] },
      drawings: relation('morphMany', fileUid, { morphBy: 'related' }),
    }
    const twinOf = (name: string): string =>
      name.replace('a', 'á').replace(/^p|^z/, (letter) => letter.toUpperCase())
    const names = Object.keys(leading)

    const types = [
      collection('deed', {
        title: text,
        ...leading,
        ...Object.fromEntries(Object.entries(leading).map(([name, attribute]) => [twinOf(name), attribute])),
      }),
      component('part.line', { line: text }),
      component('part.other', { line: text }),
    ] as unknown as ContentRouterConfig['contentTypes']

    const lines = [{ line: 'one' }, { line: 'two' }]
    const content = {
      [fileUid]: ['a', 'b'].map((name) => ({ $ref: name, name, url: `/${name}` })),
      deed: [
        {
          title: 'twins',
          [twinOf('seal')]: 'a',
          [twinOf('scans')]: ['a', 'b'],
          [twinOf('part')]: lines[0],
          [twinOf('parts')]: lines,
          [twinOf('zone')]: lines.map((one) => ({ __component: 'part.line', ...one })),
        },
        { title: 'plain' },
      ],
    }

    const options = {
      permissions: {
        owner: { find: '*' },
        some: { find: { [fileUid]: true, deed: { fields: ['title', ...names] } } },
        ofPlain: { find: { deed: { fields: names, where: { title: 'plain' } } } },
        others: { find: { [fileUid]: true, deed: { fields: ['title', ...names.map(twinOf)] } } },
      },
      nestedPagination: true,
    } as const

    const { serve, world } = stocked(database, types, content)
    let router: Served | undefined
    const served = (): Served => (router ??= serve({ ...options, strapiRoutes: true }))
    beforeAll(async () => {
      const { knex } = world
      const [deed] = await knex<Entry>('deeds').select('id').where({ title: 'twins' })
      const [file] = await knex<Entry>('files').select('id').where({ name: 'b' })
      const related_type = 'api::deed.deed'
      const row = { file_id: file?.['id'], related_id: deed?.['id'], related_type, order: 1 }
      await knex('files_related_mph').insert({ ...row, field: twinOf('drawings') })
    })

    it.each(names)('have links of their own: %s', async (name) => {
      const { list, values } = served()
      const nothing = ['part', 'seal'].includes(name) ? null : []
      const populated = await list(`deeds?sort=id&populate=${name}`, 'some')
      expect(populated.map((entry) => entry[name])).toEqual([nothing, nothing])
      const found = (query: string): Promise<unknown[]> => values(`deeds?${query}`, 'title', 'some')
      expect(await found(`filters[${name}][$count]=0&sort=id`)).toEqual(['twins', 'plain'])
      expect(await found(`sort=${name}.$count:desc,title`)).toEqual(['plain', 'twins'])
      if (name === 'zone') return
      const inside = name.startsWith('part') ? 'line' : 'name'
      expect(await found(`filters[${name}][${inside}][$notNull]=true`)).toEqual([])
      const sorted = await found(`sort=${name}.${inside},title`)
      expect(sorted).toEqual(['plain', 'twins'])
      if (nothing === null) return
      const paged = await list(`deeds?sort=id&populate[${name}][pagination][page]=1`, 'some')
      expect(paged.map((entry) => entry[name])).toEqual([[], []])
    })

    it.each(names)('are shown each by its name: %s', async (name) => {
      const { list } = served()
      const [twins] = await list(`deeds?filters[title]=twins&populate=*`, 'owner')
      const lead = (one: unknown): boolean => (Array.isArray(one) ? one.length > 0 : one !== null)
      expect([lead(twins?.[name]), lead(twins?.[twinOf(name)])]).toEqual([false, true])
    })

    it.each(names)('have rules of their own: %s', async (name) => {
      const { list } = served()
      const query = `populate[0]=${name}&populate[1]=${twinOf(name)}`
      const [twins] = await list(`deeds?filters[title]=twins&${query}`, 'ofPlain,others')
      expect(twins?.[twinOf(name)]).toEqual(
        name === 'seal' || name === 'part' ? expect.any(Object) : expect.arrayContaining([expect.anything()]),
      )
      expect(twins?.[name]).toBeUndefined()
    })

    it('are distinguished in the related relation of files', async () => {
      const { get } = served()
      const related = async (role: string): Promise<readonly number[]> => {
        const { text: body } = await get('upload/files?populate=related&sort=name', role)
        return (JSON.parse(body) as readonly { readonly related: readonly Entry[] }[]).map(
          (file) => file.related.length,
        )
      }
      expect(await related('some')).toEqual([0, 0])
      expect(await related('owner')).toEqual([2, 2])
    })
  })

  describe('the related relation of a file', () => {
    const hidden = { private: true }
    const ofFiles = (more: object = {}): object =>
      relation('morphMany', fileUid, { morphBy: 'related', ...more })

    const deed = collection('deed', {
      title: text,
      seal: picture,
      scans: pictures,
      secret: { ...picture, ...hidden },
      drawings: ofFiles(),
      notes: ofFiles(hidden),
      part: single('part.page'),
    })
    const page = component('part.page', { heading: text, image: picture })

    // The second file has no links.
    const files = ['a.png', 'b.png'].map((name) => ({ $ref: name, name, url: `/${name}` }))
    const deeds = ['seal', 'scans', 'secret', 'drawings', 'notes', 'nothing'].map((title) => ({
      title,
      part: { heading: 'of one page', ...(title === 'nothing' ? { image: 'a.png' } : {}) },
    }))

    /** Names of attributes that no longer exist, and that collations take for one that does. */
    const strayed: readonly (string | null)[] = [
      ...['taken', 'title', 'part', 'secret ', 'SECRET', 'SEAL', 'scáns', 'seal ', ''],
      null,
    ]

    const permissions: Readonly<Record<string, Grant>> = {
      owner: { find: '*' },
      sealer: { find: { [fileUid]: true, deed: { fields: ['title', 'seal'] } } },
      some: { find: { [fileUid]: true, deed: { where: { title: 'scans' }, fields: ['title', 'scans'] } } },
      other: { find: { [fileUid]: true, deed: { fields: ['title'] } } },
    }

    const shown: Readonly<Record<string, readonly string[]>> = {
      owner: ['drawings', 'scans', 'seal'],
      sealer: ['seal'],
      some: ['scans'],
      // Fields that only some entries show are left out.
      'some,other': [],
      other: [],
    }

    /** Each attribute links the file to the entry of its name; stray links lead to the entry `nothing`. */
    async function link({ world }: ReturnType<typeof stocked>): Promise<void> {
      const { knex } = world
      const all = await knex<Entry>('deeds').select('id', 'title')
      const ids = new Map(all.map(({ id, title }) => [title, id]))
      const [file] = await knex<Entry>('files').select('id').where({ name: 'a.png' })
      const type = 'api::deed.deed'
      const known = ['seal', 'scans', 'secret', 'drawings', 'notes'].map((field) => [
        field,
        ids.get(field),
        type,
      ])
      const others = ['api::DEED.deed', 'api::dééd.deed', ''].map((other) => [
        'seal',
        ids.get('nothing'),
        other,
      ])
      const rows = [...known, ...strayed.map((field) => [field, ids.get('nothing'), type]), ...others]
      await knex('files_related_mph').insert(
        rows.map(([field, related_id, related_type], at) => ({
          ...{ file_id: file?.['id'], related_id, related_type, field, order: at + 1 },
        })),
      )
    }

    const titles = (entries: unknown): string[] =>
      (entries as readonly Entry[]).map(({ title }) => String(title)).sort()

    async function filesBy({ get }: Served, ask: string, role: string): Promise<readonly Entry[]> {
      const { text: body, status } = await get(`upload/files?${ask}`, role)
      if (status !== 200) throw new Error(body)
      return JSON.parse(body) as readonly Entry[]
    }

    const relatedBy = async (served: Served, ask: string, role: string): Promise<unknown> =>
      (await filesBy(served, ask, role))[0]?.['related']

    const types = [deed, page] as unknown as ContentRouterConfig['contentTypes']
    const content = { [fileUid]: files, deed: deeds }
    const world = stocked(database, types, content)
    beforeAll(() => link(world))
    let router: Served | undefined
    const served = (): Served => (router ??= world.serve({ permissions, strapiRoutes: true }))

    it.each(Object.keys(shown))(
      'lists entries only by attributes that the role may read: %s',
      async (role) => {
        const asked = served()
        const names = shown[role] ?? []
        expect(titles(await relatedBy(asked, 'populate=related', role))).toEqual(names)
        const fragment = 'populate[related][on][api::deed.deed]=true'
        expect(titles(await relatedBy(asked, fragment, role))).toEqual(names)
        expect(await relatedBy(asked, 'populate[related][count]=true', role)).toEqual({ count: names.length })
      },
    )

    it.each(Object.keys(shown))(
      'is counted, filtered and sorted by these attributes alone: %s',
      async (role) => {
        const asked = served()
        const count = shown[role]?.length ?? 0
        const sorted = await filesBy(asked, 'sort=related.$count:desc,name:desc', role)
        const names = ['a.png', 'b.png']
        expect(sorted.map(({ name }) => name)).toEqual(count > 0 ? names : names.reverse())
        for (const guess of [0, 1, 2, 3, 4, 5])
          expect(
            (await filesBy(asked, `filters[name]=a.png&filters[related][$count]=${String(guess)}`, role))
              .length,
          ).toBe(Number(guess === count))
        const of = (title: string): string => `filters[related][$some][on][api::deed.deed][title]=${title}`
        for (const { title } of deeds)
          expect([title, (await filesBy(asked, of(title), role)).length]).toEqual([
            title,
            Number(shown[role]?.includes(title) === true),
          ])
      },
    )
  })
})
