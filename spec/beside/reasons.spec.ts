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

  it('is no order where the order was asked for', () => {
    expect(nameOf(duel(body(1, 2), body(2, 1)))).toBe('not in docs/strapi.md')
  })
})
