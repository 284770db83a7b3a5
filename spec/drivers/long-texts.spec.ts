import type { Definition } from '../../lib/schema'
import { eachDatabase } from '../support/databases'
import { collection, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('order', { number: text, body: { type: 'text' }, customer: relation('manyToOne', 'customer') }),
  collection('customer', { name: text }),
] as Definition[]

/** More than MySQL sorts by, in the buffer that it has by itself. */
const long = 'x'.repeat(400_000)

const content = {
  customer: [{ $ref: 'ada', name: 'Ada' }],
  order: [
    { number: '1', body: 'own b', customer: 'ada' },
    { number: '2', body: 'own a', customer: 'ada' },
    { number: '3', body: `hidden ${long}`, customer: 'ada' },
    { number: '4', body: `${long}y`, customer: 'ada' },
  ],
}

eachDatabase((database) => {
  describe.each(['exact', 'database'] as const)('sorted by texts, some of them long, %s', (textMatching) => {
    const { world, serve } = stocked(database, types, content)
    const numbers = (path: string, role: string): Promise<unknown[]> =>
      serve({
        textMatching,
        permissions: {
          all: { find: '*' },
          own: { find: { order: { where: { body: { $startsWith: 'own' } } }, customer: true } },
        },
      }).values(path, 'number', role)

    it.each([
      ['orders?sort=body', ['2', '1'], ['3', '2', '1', '4']],
      ['orders?sort=body:desc', ['1', '2'], ['4', '1', '2', '3']],
      ['orders?sort=body&filters[customer][name]=Ada', ['2', '1'], ['3', '2', '1', '4']],
    ])('a list is in order, whether they may be seen or not: %s', async (path, own, all) => {
      expect(await numbers(path, 'own')).toEqual(own)
      expect(await numbers(path, 'all')).toEqual(all)
    })

    it.each([
      ['$contains', 'x'.repeat(60_000), ['3', '4']],
      ['$containsi', 'X'.repeat(60_000), ['3', '4']],
      ['$startsWith', 'x'.repeat(60_000), ['4']],
      ['$endsWith', '_'.repeat(60_000), []],
      ['$contains', '_'.repeat(60_000), []],
      ['$notContains', '_'.repeat(60_000), ['1', '2', '3', '4']],
    ])('a part that is long itself is looked for, by %s', async (operator, part, found) => {
      const { values } = serve({
        textMatching,
        query: { maxCost: Infinity },
        permissions: { public: { find: { order: { where: { body: { [operator]: part } } } } } },
      })
      expect(await values('orders?sort=id', 'number')).toEqual(found)
    })

    it('a list is in order by a line that is kept where pages fit', async () => {
      const isAltered = database.dialect === 'mysql'
      if (isAltered) await world.knex.raw('alter table orders modify number longtext')
      const last = isAltered ? `4${long}` : `4${'x'.repeat(200)}`
      await world.knex('orders').where({ number: '4' }).update({ number: last })
      expect(await numbers('orders?sort=number:desc', 'own')).toEqual(['2', '1'])
      expect(await numbers('orders?sort=number:desc', 'all')).toEqual([last, '3', '2', '1'])
      await world.knex('orders').where({ number: last }).update({ number: '4' })
    })

    it('a sort costs what the definition lets expect, however the database keeps the text', async () => {
      const query = { maxCost: 100 }
      const { get } = serve({
        textMatching,
        query,
        permissions: { public: { find: { order: { where: { number: '1' } } } } },
      })
      expect((await get('orders?sort=body')).status).toBe(200)
    })

    it('a page by cursors is what may be seen of it', async () => {
      expect(await numbers('orders?sort=body&pagination[after]=&pagination[pageSize]=1', 'own')).toEqual([
        '2',
      ])
    })
  })
})
