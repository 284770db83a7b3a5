import { type Duel, reasonOf } from '../../beside/reasons'
import { storeOf } from '../../beside/world'
import type { Definition } from '../support/oracle-content'

const topic: Definition = {
  uid: 'api::topic.topic',
  kind: 'collectionType',
  collectionName: 'topics',
  info: { singularName: 'topic', pluralName: 'topics' },
  options: { draftAndPublish: true },
  pluginOptions: { i18n: { localized: false } },
  attributes: {
    name: { type: 'string' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic' },
    above: { type: 'relation', relation: 'manyToOne', target: 'api::topic.topic', inversedBy: 'children' },
    children: { type: 'relation', relation: 'oneToMany', target: 'api::topic.topic', mappedBy: 'above' },
    orphans: { type: 'relation', relation: 'oneToMany', target: 'api::topic.topic', mappedBy: 'parent' },
  },
}
const store = storeOf({ types: [topic], rows: {} })

const body = (...ids: number[]): object => ({ data: ids.map((id) => ({ id })), meta: {} })
const failed = (status: number, message = ''): Duel['strapi'] => ({
  status,
  body: { data: null, error: { status, name: 'ValidationError', message } },
})

const duel = (strapi: object, router: object, asked: Partial<Duel> = {}): Duel =>
  ({
    path: 'topics?',
    request: { style: 'indexes', dotted: false },
    strapi: 'status' in strapi ? strapi : { status: 200, body: strapi },
    router: 'status' in router ? router : { status: 200, body: router },
    ...asked,
  }) as Duel

const nameOf = (one: Duel): string | undefined => reasonOf(one, store)?.name

describe('the reason why Strapi and the router differ', () => {
  it('is none where bodies are the same, or both refuse in words of their own', () => {
    expect(nameOf(duel(body(1, 2), body(1, 2)))).toBeUndefined()
    expect(nameOf(duel(failed(400, 'one'), failed(400, 'other')))).toBeUndefined()
  })

  it('is always the router where that fails', () => {
    for (const strapi of [body(1), failed(500)])
      expect(nameOf(duel(strapi, failed(500)))).toBe('the router answers with a 5xx')
  })

  it('is Strapi where that fails alone', () => {
    expect(nameOf(duel(failed(500), body(1)))).toBe('Strapi answers with a 5xx, or not in time')
  })

  it('is the status only where a condition leads to what has drafts', () => {
    const filters = { at: 'parent', of: { at: 'name', of: { operator: '$eq', value: 'x' } } }
    const through = { request: { style: 'indexes', dotted: false, filters } } as const
    expect(nameOf(duel(body(1, 2), body(1), through))).toBe(
      'one status in conditions and sorts through relations',
    )
    expect(nameOf(duel(body(1, 2), body(1)))).toBe('not in docs/strapi.md')
  })

  it('is the comparison by value only where $eqi or $nei stands at a date, a number or a boolean', () => {
    const asked = (at: string, operator: string): Partial<Duel> => {
      const filters = { not: { at, of: { operator, value: 'x' } } }
      const populate = [{ name: 'parent', ask: { filters } }]
      return { request: { style: 'indexes', dotted: false, populate } }
    }
    const byValue = '$eqi and $nei compare dates, numbers and booleans by value'
    for (const operator of ['$eqi', '$nei'])
      expect(nameOf(duel(body(1, 2), body(1), asked('createdAt', operator)))).toBe(byValue)
    for (const [at, operator] of [
      ['createdAt', '$eq'],
      ['name', '$eqi'],
    ] as const)
      expect(nameOf(duel(body(1, 2), body(1), asked(at, operator)))).toBe('not in docs/strapi.md')
    expect(nameOf(duel(body(1), failed(400), asked('createdAt', '$eqi')))).toBe('not in docs/strapi.md')
  })

  it('is the relation that is left out only where nothing leads back to it', () => {
    const refused = (key: string): Duel['strapi'] => ({
      status: 400,
      body: { data: null, error: { status: 400, name: 'ValidationError', details: { key } } },
    })
    const known = 'conditions and sorts by a relation that is left out'
    expect(nameOf(duel(body(1), refused('orphans')))).toBe(known)
    for (const key of ['children', 'name']) expect(nameOf(duel(body(1), refused(key)))).not.toBe(known)
  })

  it('is the private name only where it stands among others', () => {
    const details = { key: 'createdBy' }
    const refused = { status: 400, body: { error: { status: 400, name: 'ValidationError', details } } }
    const asked = (path: string) => nameOf(duel(body(1), refused, { path }))
    expect(asked('topics?populate=createdBy%2Cparent')).toBe(
      'a private name among others behind one populate=',
    )
    expect(asked('topics?populate=createdBy')).toBe('not in docs/strapi.md')
  })

  it('is no order where the order was asked for', () => {
    expect(nameOf(duel(body(1, 2), body(2, 1)))).toBe('not in docs/strapi.md')
  })
})
