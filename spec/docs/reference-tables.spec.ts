import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strapi5 } from '../../extensions/strapi'
import type { CoreConfig } from '../../lib/config'
import { optionTable } from '../../lib/config/option-table'
import { customTypes } from '../../lib/schema'
import { morphInverseKinds, morphOwnerKinds, pairKinds, scalarTypes } from '../../lib/schema/declared'

const read = (name: string): string =>
  readFileSync(join(__dirname, '..', '..', 'docs', 'reference', name), 'utf8')

/** The cells of the tables in a section. */
function rowsOf(page: string, title: string): readonly (readonly string[])[] {
  const [, rest = ''] = page.split(`\n## ${title}\n`)
  const [section = ''] = rest.split('\n## ')
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const namesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

describe('docs/reference/strapi.md', () => {
  const page = read('strapi.md')

  it('has the options that strapi5() sets', () => {
    const { defaults = {} } = strapi5()
    const core = Object.entries(defaults).filter(([name]) => Object.hasOwn(optionTable, name))
    const shown = rowsOf(page, 'Options that strapi5() sets').map(([name = '', value = '']) => [
      ...namesIn(name),
      value === '`false`' ? false : value.replaceAll(/[`']/g, ''),
    ])
    expect(shown).toEqual(core)
  })

  it('has the options of strapi5(), and no other', () => {
    const named = rowsOf(page, 'Options of strapi5()').flatMap(([name = '']) => namesIn(name))
    const wrong = Object.fromEntries(named.map((name) => [name, 7]))
    const faults = strapi5(wrong).check?.({} as CoreConfig, null) ?? []
    expect(faults.map(({ where }) => where).toSorted()).toEqual(
      named.map((name) => `strapi5.${name}`).toSorted(),
    )
    expect(named).toHaveLength(4)
  })
})

describe('docs/reference/schema-format.md', () => {
  const page = read('schema-format.md')

  it('has each type of attribute', () => {
    const named = rowsOf(page, 'Attributes').flatMap(([name = '']) => namesIn(name))
    const others = ['media', 'component', 'dynamiczone', 'relation', 'customField']
    expect(named.toSorted()).toEqual([...scalarTypes, ...others].toSorted())
  })

  it('has each kind of relation', () => {
    const named = rowsOf(page, 'Relations').flatMap(([name = '']) => namesIn(name))
    expect(named.toSorted()).toEqual([...pairKinds, ...morphOwnerKinds, ...morphInverseKinds].toSorted())
  })

  it('has each storage type of a custom field', () => {
    const [, types = ''] = /Allowed types: (.*)\.$/m.exec(page) ?? []
    expect(namesIn(types)).toEqual(customTypes)
  })
})
