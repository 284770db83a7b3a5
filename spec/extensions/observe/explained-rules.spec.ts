import type { ContentRouterConfig, Grant, RoleFunction } from '../../../lib'
import { onSqlite } from '../../support/databases'
import { orderContent, orderTypes } from '../../support/orders'
import { type Entry, roleHeader, stocked } from '../../support/served'
import { hearing, observing } from './hearing'

const own = { where: { customer: { id: { $eq: { $asker: 'customerId' } } } } }
const all = { customer: true, item: true, review: true } as const

const permissions: Readonly<Record<string, Grant>> = {
  member: { find: { ...all, order: own } },
  auditor: { find: { ...all, order: { where: { paid: true } } } },
  clerk: { find: '*' },
  reader: { find: { ...all, order: own }, findOne: { order: { where: { total: { $gt: 10 } } } } },
  editor: {
    find: { review: { where: { item: { title: { $ne: 'Cap' } } } }, item: true },
    drafts: { review: { where: { text: { $contains: 'fine' } } } },
  },
  packer: { find: { order: { fields: ['number', 'items'] }, item: true, customer: true } },
  cashier: { find: { order: { where: { paid: true }, fields: ['number', 'total'] }, item: true } },
  carrier: {
    find: { order: { where: { total: { $gte: 20 } }, fields: ['items', 'number'] }, item: true },
  },
}

const role: RoleFunction = (req) => ({
  roles: (req.get(roleHeader) ?? '').split(','),
  asker: { customerId: 1 },
})

interface Explained {
  readonly meta: { readonly explain: { readonly removed: readonly Entry[] } }
}

onSqlite((database) => {
  const { serve, seeded } = stocked(database, orderTypes, orderContent)
  const serveWith = (options: Partial<ContentRouterConfig>) => serve({ permissions, role, ...options })

  describe('explain', () => {
    const removed = async (path: string, roles: string): Promise<readonly Entry[]> => {
      const explained = await serveWith(observing({ explain: () => true })).get(path, roles)
      return (explained.body as Explained).meta.explain.removed
    }

    it('names the rules that hide rows of a relation, without their conditions', async () => {
      expect(await removed('items?populate=orders', 'member')).toEqual([
        {
          path: 'orders',
          type: 'api::order.order',
          reason: 'rows',
          missing: 'entries',
          rules: ['permissions.member.find.api::order.order'],
          because: 'the rules of the caller grant only some entries of api::order.order',
        },
      ])
    })

    it.each([
      ['orders', 'member', ['member.find.api::order.order']],
      ['orders', 'reader', ['reader.find.api::order.order']],
      ['orders/ID', 'reader', ['reader.findOne.api::order.order']],
      ['orders', 'member,auditor', ['member.find.api::order.order', 'auditor.find.api::order.order']],
      ['reviews', 'editor', ['editor.find.api::review.review']],
      [
        'reviews?status=draft',
        'editor',
        ['editor.find.api::review.review', 'editor.drafts.api::review.review'],
      ],
      ['items', 'clerk', []],
    ])('names the rules of the requested type: %s, role %s', async (path, roles, places) => {
      const { documentId } = seeded().entry('order', 'b1')
      const told = await removed(path.replace('ID', documentId), roles)
      expect(told.map(({ path, reason, rules }) => ({ path, reason, rules }))).toEqual(
        places.length === 0
          ? []
          : [{ path: '', reason: 'rows', rules: places.map((place) => `permissions.${place}`) }],
      )
    })

    it('names the fields that a rule leaves out of a populated relation, and none that were not requested', async () => {
      expect(await removed('items?populate[orders][populate]=*&fields=title', 'packer')).toEqual(
        ['total', 'paid', 'createdAt', 'updatedAt', 'publishedAt', 'customer'].map((name) => ({
          ...{ path: `orders.${name}`, type: null, reason: 'fields', missing: 'attribute' },
          because: 'the rules of the caller do not grant the field',
          rules: ['permissions.packer.find.api::order.order'],
        })),
      )
      expect(await removed('orders?fields=number', 'packer')).toEqual([])
    })

    it('names fields that rules show in some entries only', async () => {
      expect(await removed('orders?fields=total', 'cashier,carrier')).toContainEqual({
        path: 'total',
        type: null,
        reason: 'fields',
        missing: 'attribute of some entries',
        rules: ['permissions.cashier.find.api::order.order', 'permissions.carrier.find.api::order.order'],
        because: 'the rules of the caller do not grant the field',
      })
    })
  })

  it('onRequest does not receive the conditions of rules', async () => {
    const heard = hearing()
    const { shape } = await heard.ask(serveWith(observing(heard.hooks)), 'orders?filters[total]=10', 'member')
    expect(shape?.filters).toEqual(['total'])
  })
})
