import type { Knex } from 'knex'

/** Tables as an application may have them: keys of several types, none of Strapi's columns. */
export async function createShop(knex: Knex): Promise<void> {
  await knex.schema.createTable('country', (table) => {
    table.string('code', 2).primary()
    table.string('name').notNullable()
  })
  await knex.schema.createTable('customer', (table) => {
    table.bigInteger('customer_no').primary()
    table.string('full_name').notNullable()
    table.string('country_code', 2).references('country.code')
    table.bigInteger('referred_by').references('customer.customer_no')
  })
  await knex.schema.createTable('product', (table) => {
    table.uuid('product_id').primary()
    table.string('sku').notNullable().unique()
    table.decimal('unit_price', 10, 2)
    table.boolean('is_active').notNullable()
  })
  await knex.schema.createTable('purchase', (table) => {
    table.integer('purchase_id').primary()
    table.bigInteger('customer_no').references('customer.customer_no')
    table.bigInteger('payer_no').references('customer.customer_no')
    table.string('note')
    table.dateTime('last_update', { useTz: false })
  })
  await knex.schema.createTable('purchase_product', (table) => {
    table.integer('purchase_id').references('purchase.purchase_id')
    table.uuid('product_id').references('product.product_id')
    table.integer('position')
    table.primary(['purchase_id', 'product_id'])
  })
  await knex('country').insert([
    { code: 'de', name: 'Germany' },
    { code: 'fr', name: 'France' },
  ])
  await knex('customer').insert([
    { customer_no: 9, full_name: 'Ada', country_code: 'de', referred_by: null },
    { customer_no: 10, full_name: 'Bo', country_code: 'fr', referred_by: 9 },
    { customer_no: 11, full_name: 'Cy', country_code: null, referred_by: 9 },
  ])
  await knex('product').insert([
    { product_id: uuids.lamp, sku: 'lamp', unit_price: 12.5, is_active: true },
    { product_id: uuids.desk, sku: 'desk', unit_price: 250, is_active: true },
    { product_id: uuids.mug, sku: 'mug', unit_price: null, is_active: false },
  ])
  await knex('purchase').insert([
    { purchase_id: 1, customer_no: 9, payer_no: 10, note: 'gift', last_update: '2024-02-29 10:00:00' },
    { purchase_id: 2, customer_no: 10, payer_no: 10, note: null, last_update: '2024-03-01 00:30:00' },
    { purchase_id: 17, customer_no: null, payer_no: null, note: 'open', last_update: null },
  ])
  await knex('purchase_product').insert([
    { purchase_id: 1, product_id: uuids.mug, position: 1 },
    { purchase_id: 1, product_id: uuids.lamp, position: 2 },
    { purchase_id: 2, product_id: uuids.desk, position: 1 },
    { purchase_id: 2, product_id: uuids.lamp, position: 2 },
  ])
}

export const uuids = {
  lamp: '0b0e4a52-64b1-4f5d-8f5e-0c63bca3a001',
  desk: '3f9d2c11-9a4e-4d3c-9a54-6b1f0f5ed002',
  mug: 'f81d4fae-7dec-41d0-a765-00a0c91e6003',
} as const

const definition = (
  singularName: string,
  pluralName: string,
  parts: { readonly table: object; readonly attributes: object },
): object => ({
  kind: 'collectionType',
  collectionName: singularName,
  info: { singularName, pluralName, displayName: singularName },
  ...parts,
})

const relation = (kind: string, target: string, rest: object): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...rest,
})

export const shopTypes = [
  definition('country', 'countries', {
    table: { id: { name: 'code', type: 'string' } },
    attributes: {
      name: { type: 'string', required: true },
      customers: relation('oneToMany', 'customer', { mappedBy: 'country' }),
    },
  }),
  definition('customer', 'customers', {
    table: { existing: true, id: { name: 'customer_no', type: 'biginteger' } },
    attributes: {
      fullName: { type: 'string', columnName: 'full_name' },
      country: relation('manyToOne', 'country', {
        inversedBy: 'customers',
        joinColumn: { name: 'country_code', referencedColumn: 'code' },
      }),
      referrer: relation('manyToOne', 'customer', {
        inversedBy: 'referred',
        joinColumn: { name: 'referred_by' },
      }),
      referred: relation('oneToMany', 'customer', { mappedBy: 'referrer' }),
      purchases: relation('oneToMany', 'purchase', { mappedBy: 'customer' }),
      paid: relation('oneToMany', 'purchase', { mappedBy: 'payer' }),
    },
  }),
  definition('product', 'products', {
    table: { id: { name: 'product_id', type: 'uuid' } },
    attributes: {
      sku: { type: 'string', unique: true },
      price: { type: 'decimal', columnName: 'unit_price' },
      active: { type: 'boolean', columnName: 'is_active' },
      purchases: relation('manyToMany', 'purchase', { mappedBy: 'products' }),
    },
  }),
  definition('purchase', 'purchases', {
    table: { id: 'purchase_id', updatedAt: 'last_update' },
    attributes: {
      note: { type: 'string' },
      customer: relation('manyToOne', 'customer', {
        inversedBy: 'purchases',
        joinColumn: { name: 'customer_no' },
      }),
      payer: relation('manyToOne', 'customer', { inversedBy: 'paid', joinColumn: { name: 'payer_no' } }),
      products: relation('manyToMany', 'product', {
        inversedBy: 'purchases',
        joinTable: {
          name: 'purchase_product',
          joinColumn: { name: 'purchase_id' },
          inverseJoinColumn: { name: 'product_id' },
          orderColumn: { name: 'position' },
        },
      }),
    },
  }),
]
