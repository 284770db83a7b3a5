import { contentRouter, type ContentRouterConfig, type Grant } from '../../lib'
import { ConfigError, type Fault } from '../../lib/errors'
import { keeping } from '../support/hearing'
import { component } from '../support/library'
import { orderTypes } from '../support/orders'

describe('the start with rules', () => {
  const start = (options: Partial<ContentRouterConfig>): void => {
    contentRouter({
      contentTypes: orderTypes,
      database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
      ...options,
    })
  }
  const faultsOfConfig = (options: Partial<ContentRouterConfig>): readonly Fault[] => {
    try {
      start(options)
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.faults
      throw error
    }
  }
  const faultsOf = (find: unknown): readonly Fault[] =>
    faultsOfConfig({ permissions: { member: { find } as Grant } })
  const where = (rule: unknown): string[] =>
    faultsOf({ order: rule }).map((fault) => `${fault.where}: ${fault.problem}`)

  const noValue = 'the value must be a string, a number, a boolean, null, a list or an object'

  it.each([
    ['an unknown attribute', { where: { nope: 1 } }, 'where.nope: Invalid key nope'],
    ['one behind a link', { where: { customer: { nope: 1 } } }, 'where.customer.nope: Invalid key nope'],
    ['a wrong type', { where: { total: 'much' } }, 'where.total: Invalid value: integer expects a number'],
    ['no condition', { where: {} }, 'where: the filter must contain a condition'],
    [
      'nothing that is asked of an attribute',
      { where: { total: {} } },
      'where.total: the filter must contain a condition',
    ],
    [
      'nothing behind a link',
      { where: { customer: { id: {} } } },
      'where.customer.id: the filter must contain a condition',
    ],
    [
      'use one of several that holds for all',
      { where: { $or: [{ total: 1 }, {}] } },
      'where.$or.1: the filter must contain a condition',
    ],
    ['none of several', { where: { $and: [] } }, 'where.$and: the filter must contain a condition'],
    [
      'every one of whichever',
      { where: { items: { $every: {} } } },
      'where.items.$every: the filter must contain a condition',
    ],
    [
      'nothing that is left out',
      { where: { id: { $notIn: [] } } },
      'where.id.$notIn: the filter must contain a condition',
    ],
    [
      'not to be in nothing',
      { where: { $not: { id: { $in: [] } } } },
      'where.$not.id.$in: the filter must contain a condition',
    ],
    [
      'none that is in nothing',
      { where: { items: { $none: { id: { $in: [] } } } } },
      'where.items.$none.id.$in: the filter must contain a condition',
    ],
    ['a hole in a list', { where: { $or: [{ total: 1 }, , { total: 2 }] } }, `where.$or.1: ${noValue}`],
    ['what is no number', { where: { total: { $ne: NaN } } }, `where.total.$ne: ${noValue}`],
    [
      'a name that is no text',
      { where: { paid: true, [Symbol('total')]: 1 } },
      'where: the object has a key that is a symbol or not enumerable',
    ],
    [
      'an undefined value',
      { where: { customer: { id: undefined } } },
      'where.customer.id: the value is undefined',
    ],
    ['no filter', { where: 'own' }, 'where: where must be an object with filters'],
    [
      'an undefined filter',
      { where: undefined, fields: ['total'] },
      'where: where must be an object with filters',
    ],
    ['fields that are no list', { fields: 'total' }, 'fields: the value must be a list of attributes'],
    [
      'undefined fields',
      { where: { total: 1 }, fields: undefined },
      'fields: the value must be a list of attributes',
    ],
    [
      'a field that is none',
      { fields: ['total', 'totl'] },
      'fields.1: responses of api::order.order do not contain an attribute totl',
    ],
    ['another part', { where: { total: 1 }, when: 'now' }, 'when: the key is not allowed in a rule'],
    [
      'an unknown operator',
      { where: { total: { $is: 1 } } },
      'where.total.$is: Invalid key $is: did you mean $in?',
    ],
    [
      'a number in the place of a name',
      { where: { total: { $asker: 7 } } },
      'where: the value of $asker must be a name, but 7 is a number',
    ],
    [
      'a value of whoever asks in a search',
      { where: { number: { $contains: { $asker: 'x' } } } },
      'where.number.$contains: $asker is not supported here: use $eq, $ne, $in, $notIn, $lt, $lte, $gt, $gte, $between',
    ],
    [
      'a value of whoever asks for how many there are',
      { where: { items: { $count: { $gt: { $asker: 'x' } } } } },
      'where.items.$count.$gt: $asker is not supported with $count',
    ],
  ])('rejects %s', (_, rule, fault) => {
    expect(where(rule)).toEqual([`permissions.member.find.order.${fault}`])
  })

  it('reports all faults at once', () => {
    expect(where({ where: { $and: [{ nope: 1 }, { customer: { nope: 1 } }] } })).toHaveLength(2)
    expect(where({})).toEqual([
      'permissions.member.find.order: a rule must have the key where or the key fields',
    ])
    expect(faultsOf({ order: 'own', ordr: true }).map(({ where }) => where)).toEqual([
      'permissions.member.find.order',
      'permissions.member.find.ordr',
    ])
  })

  it('rejects a second grant of the same type', () => {
    expect(faultsOf({ order: true, 'api::order.order': true }).map(({ problem }) => problem)).toEqual([
      'the type api::order.order is granted twice',
    ])
  })

  it('rejects private and unknown attributes as fields, and suggests a similar name', () => {
    const [fault] = faultsOf({ customer: { fields: ['pin'] } })
    expect(fault?.problem).toBe('responses of api::customer.customer do not contain an attribute pin')
    const [near] = faultsOf({ order: { fields: ['totl'] } })
    expect(near).toMatchObject({ remedy: 'did you mean total?' })
  })

  it('accepts $some and $none without further conditions', () => {
    expect(where({ where: { items: { $some: {} } } })).toEqual([])
    expect(where({ where: { items: { $none: {} } } })).toEqual([])
  })

  it('rejects rules for components', () => {
    const told = (rule: unknown): string[] => {
      try {
        contentRouter({
          contentTypes: [
            ...(orderTypes as readonly object[]),
            component('shared.card', { text: { type: 'string' } }),
          ] as never,
          database: { client: 'better-sqlite3', connection: { filename: ':memory:' } },
          permissions: { member: { find: { order: true, 'shared.card': rule as boolean } } },
        })
        return []
      } catch (error) {
        if (error instanceof ConfigError)
          return error.faults.map(({ where: at, problem }) => `${at}: ${problem}`)
        throw error
      }
    }
    const fault =
      'permissions.member.find.shared.card: shared.card is a component, but permissions can grant only content types'
    for (const rule of [{ fields: ['text'] }, { where: { text: 'a' } }, false])
      expect(told(rule)).toEqual([fault])
  })

  it('rejects a grant that withholds drafts while the option drafts is open', () => {
    const review = { find: { review: true }, drafts: { review: false } }
    const told = (drafts: 'open' | 'granted'): string[] =>
      faultsOfConfig({ permissions: { member: review }, drafts }).map(
        ({ where: at, problem }) => `${at}: ${problem}`,
      )
    expect(told('granted')).toEqual([])
    expect(told('open')).toEqual([
      "permissions.member.drafts.review: false has no effect, because drafts: 'open' grants drafts to all roles",
    ])
  })

  it('warns if findOne shows entries that the rules of find hide', () => {
    const { logger, warnings } = keeping()
    const find = { order: { where: { paid: true } }, item: true }
    const wider = 'findOne grants more entries of a type than find'
    const warned = (findOne: Grant['findOne']): boolean => {
      warnings.length = 0
      start({ permissions: { public: findOne === undefined ? { find } : { find, findOne } }, logger })
      return warnings.includes(wider)
    }
    expect([['order'] as const, '*' as const].map(warned)).toEqual([true, true])
    expect([undefined, ['item'] as const, { order: true }].map(warned)).toEqual([false, false, false])
  })

  it('warns if a shared cache could send the response of one role to another', () => {
    const { logger, warnings } = keeping()
    const paid = { order: { where: { paid: true } } }
    const warned = (member: Grant, headers: NonNullable<ContentRouterConfig['headers']>): boolean => {
      warnings.length = 0
      start({ permissions: { public: { find: paid }, member }, headers, logger })
      return warnings.includes(
        'a shared cache can send a response for one role to a caller with another role',
      )
    }
    const shared = { order: { shared: true } }
    const others: readonly Grant[] = [{ find: ['order'] }, { find: paid, drafts: ['order'] }, {}]
    expect(others.map((member) => warned(member, shared))).toEqual([true, true, true])
    expect(warned({ find: paid }, shared)).toBe(false)
    expect(warned({ find: ['order'] }, { order: { shared: true, vary: ['Authorization'] } })).toBe(false)
    expect(warned({ find: ['order'] }, { '*': { cacheControl: 'max-age=60' } })).toBe(false)
    // Through what it leads to, an answer of another type shows what they see otherwise.
    expect(warned({ find: ['order'] }, { review: { shared: true } })).toBe(true)
    expect(warned({ find: ['order'] }, { page: { shared: true } })).toBe(false)
    expect(warned({ find: ['order'] }, { '*': { shared: true }, order: { vary: ['X-Role'] } })).toBe(false)
  })

  it('suggests the uid for the short name of a plugin type', () => {
    expect(faultsOf({ user: true })).toMatchObject([
      { problem: 'there is no type user', remedy: 'write the full name plugin::users-permissions.user' },
    ])
  })

  it('rejects rules that hide files', () => {
    const [fault] = faultsOf({ 'plugin::upload.file': { where: { name: 'a' } } })
    expect(fault?.problem).toBe('rules cannot hide the type, because every relation shows its entries')
  })

  describe('a comparison with a boolean', () => {
    const faultsWhere = (condition: object): string[] => where({ where: condition })

    it.each([['no'], ['yes'], ['TRUE'], ['off'], [''], [2], ['null']])('is rejected for %j', (value) => {
      for (const [where, path] of [
        [{ paid: value }, 'paid'],
        [{ paid: { $eq: value } }, 'paid.$eq'],
        [{ $not: { paid: { $in: [true, value] } } }, '$not.paid.$in'],
        [{ total: { $null: value } }, 'total.$null'],
        [{ customer: { name: { $notNull: value } } }, 'customer.name.$notNull'],
      ] as const) {
        const [fault, ...others] = faultsWhere(where)
        expect(fault).toContain(`permissions.member.find.order.where.${path}`)
        expect([fault, others]).toEqual([expect.stringContaining('boolean expects true or false'), []])
      }
    })

    it.each([[true], [false], ['true'], ['false'], ['0'], ['1'], [0], [1], ['t'], ['f']])(
      'accepts %j',
      (value) => {
        expect(faultsWhere({ paid: value, total: { $null: value } })).toEqual([])
      },
    )
  })
})
