import type { ContentRouterConfig } from '../../lib'
import { onSqlite } from '../support/databases'
import { collection, picture, relation, text } from '../support/library'
import { stocked } from '../support/served'

const fileUid = 'plugin::upload.file'

const types = [
  collection('deed', { title: text, owner: relation('manyToOne', 'owner') }),
  collection('owner', { name: text, towns: relation('manyToMany', 'town') }),
  collection('town', { name: text, photo: picture }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  [fileUid]: [{ name: 'a', url: '/a' }],
  town: [
    { $ref: 'york', name: 'York' },
    { $ref: 'none', name: 'Hidden' },
  ],
  owner: [
    { $ref: 'ann', name: 'Ann', towns: ['york'] },
    { $ref: 'bob', name: 'Bob' },
  ],
  deed: [{ title: 'Farm', owner: 'ann' }, { title: 'Mill', owner: 'bob' }, { title: 'Pond' }],
}

const permissions = {
  some: { find: { [fileUid]: true, deed: true, owner: true, town: { where: { name: { $ne: 'Hidden' } } } } },
} as const

onSqlite((database) => {
  describe('an entry whose id is 0', () => {
    const { serve, world } = stocked(database, types, content)

    it('is not the value of a missing relation in sorts', async () => {
      const { values } = serve({ permissions })
      const both = (): Promise<unknown> =>
        Promise.all(
          ['asc', 'desc'].map((direction) =>
            values(`deeds?sort=owner.towns.name:${direction}`, 'title', 'some'),
          ),
        )
      const before = await both()
      expect(before).toMatchObject([{ length: 3 }, { length: 3 }])
      await world.knex('towns').update({ id: 0 }).where({ name: 'Hidden' })
      expect(await both()).toEqual(before)
    })
  })
})
