import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
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
import { type Entry, stocked } from '../support/served'

const fileUid = 'plugin::upload.file'

/** Each leads somewhere by a name in a column, which collations of MySQL and MariaDB find equal to that of its twin. */
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

onSqlite((database) => {
  describe('attributes whose names differ in case or accents alone', () => {
    const { serve, world } = stocked(database, types, content)
    beforeAll(async () => {
      const { knex } = world
      const [deed] = await knex<Entry>('deeds').select('id').where({ title: 'twins' })
      const [file] = await knex<Entry>('files').select('id').where({ name: 'b' })
      const related_type = 'api::deed.deed'
      const row = { file_id: file?.['id'], related_id: deed?.['id'], related_type, order: 1 }
      await knex('files_related_mph').insert({ ...row, field: twinOf('drawings') })
    })

    it.each(names)('are two: what leads by the twin of %s does not lead by it', async (name) => {
      const { list, values } = serve(options)
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

    it.each(names)('are shown each by its name to who may see both: %s', async (name) => {
      const { list } = serve(options)
      const [twins] = await list(`deeds?filters[title]=twins&populate=*`, 'owner')
      const lead = (one: unknown): boolean => (Array.isArray(one) ? one.length > 0 : one !== null)
      expect([lead(twins?.[name]), lead(twins?.[twinOf(name)])]).toEqual([false, true])
    })

    it.each(names)('are hidden each by its own rule: where %s is not shown, its twin is', async (name) => {
      const { list } = serve(options)
      const query = `populate[0]=${name}&populate[1]=${twinOf(name)}`
      const [twins] = await list(`deeds?filters[title]=twins&${query}`, 'ofPlain,others')
      expect(twins?.[twinOf(name)]).toEqual(
        name === 'seal' || name === 'part' ? expect.any(Object) : expect.arrayContaining([expect.anything()]),
      )
      expect(twins?.[name]).toBeUndefined()
    })

    it('lead files back by what is shown alone', async () => {
      const { get } = serve({ ...options, strapiRoutes: true })
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
})
