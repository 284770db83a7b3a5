import type { ContentRouterConfig } from '../../lib'
import type { SeedContent } from '../../extensions/seed'

const type = (
  singularName: string,
  attributes: object,
  { draftAndPublish = false, localized = false } = {},
): object => ({
  kind: 'collectionType',
  uid: `api::${singularName}.${singularName}`,
  collectionName: `${singularName}s`,
  info: { singularName, pluralName: `${singularName}s`, displayName: singularName },
  options: { draftAndPublish },
  pluginOptions: { i18n: { localized } },
  attributes,
})

const to = (target: string, relation: string, more: object = {}): object => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...more,
})

/** A shop: who ordered what, and what people wrote of it. */
export const orderTypes = [
  type('customer', {
    name: { type: 'string' },
    pin: { type: 'string', private: true },
    orders: to('order', 'oneToMany', { mappedBy: 'customer' }),
  }),
  type('order', {
    number: { type: 'string', unique: true },
    total: { type: 'integer' },
    paid: { type: 'boolean' },
    customer: to('customer', 'manyToOne', { inversedBy: 'orders' }),
    items: to('item', 'manyToMany', { inversedBy: 'orders' }),
  }),
  type('item', {
    title: { type: 'string' },
    owner: { type: 'string', private: true },
    orders: to('order', 'manyToMany', { mappedBy: 'items' }),
    reviews: to('review', 'oneToMany', { mappedBy: 'item' }),
  }),
  type(
    'review',
    { text: { type: 'string' }, item: to('item', 'manyToOne', { inversedBy: 'reviews' }) },
    { draftAndPublish: true },
  ),
  type('page', { title: { type: 'string' } }, { localized: true }),
] as unknown as ContentRouterConfig['contentTypes']

/** Ids are given in this order, from 1 on. */
export const orderContent: SeedContent = {
  customer: [
    { $ref: 'ada', name: 'Ada', pin: '1111' },
    { $ref: 'ben', name: 'Ben', pin: '2222' },
  ],
  item: [
    { $ref: 'pen', title: 'Pen', owner: 'north' },
    { $ref: 'ink', title: 'Ink', owner: 'south' },
    { $ref: 'cap', title: 'Cap', owner: 'north' },
  ],
  order: [
    { $ref: 'a1', number: 'A1', total: 10, paid: true, customer: 'ada', items: ['pen', 'ink'] },
    { $ref: 'b1', number: 'B1', total: 20, paid: true, customer: 'ben', items: ['pen'] },
    { $ref: 'a2', number: 'A2', total: 30, paid: false, customer: 'ada', items: ['cap'] },
    { $ref: 'b2', number: 'B2', total: 40, paid: false, customer: 'ben', items: ['ink', 'cap'] },
    { $ref: 'n1', number: 'N1', total: 50, paid: true },
  ],
  $locales: ['en', 'de', 'fr'],
  page: [
    { $ref: 'hello', title: 'Hello', $locales: { fr: { title: 'Bonjour' } } },
    { $ref: 'bye', title: 'Bye', $locales: { de: { title: 'Servus' } } },
  ],
  review: [
    { $ref: 'r1', text: 'fine', item: 'pen', $draft: { text: 'fine indeed' } },
    { $ref: 'r2', text: 'dry', item: 'ink', $status: 'draft' },
    { $ref: 'r3', text: 'warm', item: 'cap' },
  ],
}
