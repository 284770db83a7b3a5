import { columnName, componentTableName, linkTableName, snakeCase } from '../../lib/schema/names'

// The long ones are names that Strapi 5 gave in a recorded database.
const longTable = 'warehouse_inventory_snapshot_records_for_reporting'

test.each([
  ['documentId', 'document_id'],
  ['bigViews', 'big_views'],
  ['weightKg2', 'weight_kg_2'],
  ['phone_2', 'phone_2'],
  ['provider_metadata', 'provider_metadata'],
  ['inventory-snapshot', 'inventory_snapshot'],
  ['HTMLPage', 'html_page'],
  ['the21stCentury', 'the_21st_century'],
])('%s becomes %s', (name, column) => {
  expect(snakeCase(name)).toBe(column)
})

test('a name of more than 55 characters is cut and closed with a hash of all of it', () => {
  expect(columnName('aVeryLongAttributeNameThatGoesOnAndOnForeverAndEverAndEver')).toBe(
    'a_very_long_attribute_name_that_goes_on_and_on_forebef1',
  )
})

test('a name of exactly 55 characters stays whole', () => {
  expect(componentTableName(longTable)).toBe('warehouse_inventory_snapshot_records_for_reporting_cmps')
})

test('the parts of a name are cut to equal shares, its ending stays', () => {
  expect(linkTableName(longTable, 'theProductsThatWereCountedOnThatDay')).toMatch(
    /^warehouse_inventory_b84d1_the_products_that_we[0-9a-f]{5}_lnk$/,
  )
})

test('what a short part leaves over goes to the long one', () => {
  expect(linkTableName(longTable, 'brand')).toBe('warehouse_inventory_snapshot_records_forb84d1_brand_lnk')
})
