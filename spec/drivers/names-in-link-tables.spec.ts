import { strapi5 } from '../../extensions/strapi'
import type { ContentRouterConfig, Grant } from '../../lib'
import { eachDatabase } from '../support/databases'
import { collection, component, picture, pictures, relation, single, text } from '../support/library'
import { type Entry, type Served, stocked } from '../support/served'

const fileUid = 'plugin::upload.file'

eachDatabase((database) => {
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
    const served = (): Served => (router ??= world.serve({ permissions, extensions: [strapi5()] }))

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
