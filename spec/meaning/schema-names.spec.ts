import { createRequire } from 'node:module'
import fc from 'fast-check'
import { columnName, componentTableName, folderName, linkTableName, snakeCase } from '../../lib/schema/names'
import { firstSeed, runs } from '../support/property-runs'

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
])('the name %s is written %s in the database', (name, column) => {
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

test.each([
  ['año', 'ano'],
  ['año_escolar', 'ano_escolar'],
  ['Größe', 'grosse'],
  ['œuvre', 'oeuvre'],
  ['Łódź2', 'lodz_2'],
  ['nuñoÉl', 'nuno_el'],
  ["l'été", 'lete'],
  ['год', 'год'],
  ['годРождения', 'годрождения'],
  ['年份', '年份'],
])('%s becomes %s: accents come off, other scripts stay', (name, column) => {
  expect(snakeCase(name)).toBe(column)
})

test('the length of a name is that without its accents', () => {
  const name = 'ñandúes'.repeat(9)
  expect(columnName(name)).toBe(columnName('nandues'.repeat(9)))
  expect(columnName(name)).toHaveLength(55)
})

/** The one that Strapi takes, which Knex brings along. */
const lodash = createRequire(require.resolve('knex'))('lodash') as {
  snakeCase(name: string): string
  kebabCase(name: string): string
}

const letters = "abzABZ019_- .'’áÉñßŒłŊĳŉžÿ÷×Ðгоёй年αΩİı"
const names = fc.oneof(
  fc.string({ unit: fc.nat(letters.length - 1).map((place) => letters.charAt(place)), maxLength: 12 }),
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x2fff }).map((code) => String.fromCharCode(code)),
    maxLength: 9,
  }),
  fc.constantFrom('1ST', '2nd', '3rd_4TH', 'the21stCentury', 'HTML5Page', 'ABCdefGHI', '11th'),
)

test('every name without emoji is taken apart as lodash does it', () => {
  const isDingbat = (name: string): boolean => /[\u2700-\u27bf]/.test(name)
  fc.assert(
    fc.property(
      names.filter((name) => !isDingbat(name)),
      (name) => {
        expect([name, snakeCase(name)]).toEqual([name, lodash.snakeCase(name)])
        const isKebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
        expect([name, folderName(name)]).toEqual([name, isKebabCase ? name : lodash.kebabCase(name)])
      },
    ),
    { seed: firstSeed, numRuns: runs(5000) },
  )
})
