import { knex as makeKnex, type Knex } from 'knex'
import { analyze, makeNumbers } from '../data/fill-long'
import type { FilledDatabase } from '../measured-databases'

const countries = 30
const tags = 50
const customers = 5000

/** Orders are spread over two years. */
const seconds = 2 * 365 * 86_400

const instant: Readonly<Record<FilledDatabase, (second: string) => string>> = {
  sqlite: (second) => `datetime(1704067200 + ${second}, 'unixepoch')`,
  mariadb: (second) => `timestampadd(second, ${second}, '2024-01-01')`,
  mysql: (second) => `timestampadd(second, ${second}, '2024-01-01')`,
  postgres: (second) => `timestamp '2024-01-01' + (${second}) * interval '1 second'`,
}

async function createTables(knex: Knex): Promise<void> {
  for (const name of ['country', 'tag'])
    await knex.schema.createTable(`shop_${name}`, (table) => {
      table.integer('id').primary()
      table.string('name').notNullable()
    })
  await knex.schema.createTable('shop_customer', (table) => {
    table.integer('id').primary()
    table.string('name').notNullable()
    table.integer('country_id').references('shop_country.id').index()
  })
  await knex.schema.createTable('shop_order', (table) => {
    table.integer('id').primary()
    table.string('state', 10).notNullable().index()
    table.integer('quantity').notNullable()
    table.decimal('total', 10, 2).notNullable()
    table.datetime('placed_at', { useTz: false }).notNullable().index()
    table.integer('customer_id').references('shop_customer.id').index()
  })
  await knex.schema.createTable('shop_order_tag', (table) => {
    table.integer('order_id').references('shop_order.id')
    table.integer('tag_id').references('shop_tag.id')
    table.primary(['order_id', 'tag_id'])
    table.index(['tag_id', 'order_id'])
  })
}

/** Orders of an application: one of ten is open, one of 50 has no customer, one of three has no tag. */
export async function fillShop(name: FilledDatabase, config: Knex.Config, orders: number): Promise<void> {
  const knex = makeKnex(config)
  const insert = (table: string, columns: string, where: string): Promise<unknown> =>
    knex.raw(`insert into shop_${table} select ${columns} from numbers where ${where}`)
  try {
    await makeNumbers(knex, orders)
    await createTables(knex)
    await insert('country', `n, concat('Country ', n)`, `n <= ${String(countries)}`)
    await insert('tag', `n, concat('Tag ', n)`, `n <= ${String(tags)}`)
    await insert(
      'customer',
      `n, concat('Customer ', n), 1 + n % ${String(countries)}`,
      `n <= ${String(customers)}`,
    )
    const state = `case n % 10 when 0 then 'open' when 1 then 'returned' else 'sent' end`
    const customer = `case when n % 50 > 0 then 1 + n * 7919 % ${String(customers)} end`
    const placed = instant[name](`n * ${String(seconds / orders)}`)
    await insert(
      'order',
      `n, ${state}, 1 + n % 5, (n * 7919 % 100000) / 100.0, ${placed}, ${customer}`,
      `n <= ${String(orders)}`,
    )
    const within = `n <= ${String(orders)} and n % 3`
    await insert('order_tag', `n, 1 + n % ${String(tags)}`, `${within} > 0`)
    await insert('order_tag', `n, 1 + (n + 17) % ${String(tags)}`, `${within} > 1`)
    for (const table of ['country', 'tag', 'customer', 'order', 'order_tag'])
      await knex.raw(analyze[name], name === 'sqlite' ? [] : [`shop_${table}`])
  } finally {
    await knex.destroy()
  }
}

const named = { type: 'string' }

const foreignKey = (target: string): object => ({
  ...{ type: 'relation', relation: 'manyToOne', target },
  joinColumn: { name: `${target}_id` },
})

const shopType = (name: string, pluralName: string, attributes: object): object => ({
  kind: 'collectionType',
  collectionName: `shop_${name}`,
  info: { singularName: name, pluralName },
  table: {},
  attributes,
})

export const definitions = [
  shopType('country', 'countries', { name: named }),
  shopType('tag', 'tags', { name: named }),
  shopType('customer', 'customers', { name: named, country: foreignKey('country') }),
  shopType('order', 'orders', {
    state: named,
    quantity: { type: 'integer' },
    total: { type: 'decimal' },
    placedAt: { type: 'datetime', columnName: 'placed_at' },
    customer: foreignKey('customer'),
    tags: {
      ...{ type: 'relation', relation: 'manyToMany', target: 'tag' },
      joinTable: {
        name: 'shop_order_tag',
        joinColumn: { name: 'order_id' },
        inverseJoinColumn: { name: 'tag_id' },
      },
    },
  }),
]
