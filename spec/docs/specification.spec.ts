import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testTitles } from '../support/titles'

const root = join(__dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'contributing', 'specification.md'), 'utf8')

/** What the specification numbers, and the rows of its tables. */
const numbered = (section: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${section}.${String(index + 1)}`)

const rules = [
  ...numbered('1', 5),
  ...numbered('2', 8),
  '3',
  '4.1',
  ...['fields', 'populate', 'filters', 'sort', 'pagination[page]', 'pagination[pageSize]'].map(
    (parameter) => `4.1 ${parameter}`,
  ),
  ...numbered('4.1', 6),
  ...['everything', 'one relation', 'several relations', 'several levels', 'a component'].map(
    (row) => `4.2 ${row}`,
  ),
  ...['a nested component', 'a deeper path', 'a zone', 'a zone in detail'].map((row) => `4.2 ${row}`),
  ...['everything of a component', 'fields', 'sort and filters'].map((row) => `4.2 ${row}`),
  ...numbered('4.2', 11),
  ...numbered('4.3', 6),
  ...['5', '6', '7'],
  ...['arrayLimit', 'raising the limit', 'populate depth', 'nested pagination', 'page size'].map(
    (row) => `8 ${row}`,
  ),
  '9',
  ...['$some', '$none', '$every', '$count', 'sort by $count', 'every link', 'what is linked', '$not'].map(
    (row) => `10 ${row}`,
  ),
  ...['the path', 'as by its id'].map((row) => `11 ${row}`),
  ...['the chain', 'the row that is shown', 'everywhere', 'the option'].map((row) => `12 ${row}`),
  ...['by its name', 'its parameters', 'at start', 'named only'].map((row) => `13 ${row}`),
  ...['both ways', 'meta', 'sorts', 'under writers', 'one list', 'opaque', 'nested'].map(
    (row) => `14 ${row}`,
  ),
  ...['rows', 'fields', 'several roles', 'findOne, drafts', 'one plan'].map((row) => `15 ${row}`),
]

/** Rules that say that there is nothing. */
const empty = ['6', '9']

interface Named {
  readonly rule: string
  readonly file: string
  readonly title: string
}

function namedSpecs(): Named[] {
  let rule = ''
  return page.split('\n').flatMap((line) => {
    rule = /^- \*\*(.+?)\*\*/.exec(line)?.[1] ?? rule
    const [, file, title] = /^ {2}- `(.+?)`: `(.+)`$/.exec(line) ?? []
    return file === undefined || title === undefined ? [] : [{ rule, file, title }]
  })
}

describe('the page of the specification', () => {
  it('says every rule that specs may name', () => {
    expect([...page.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, rule]) => rule)).toEqual(rules)
  })

  it('names for every rule the specs that hold it', () => {
    const held = new Set(namedSpecs().map(({ rule }) => rule))
    expect(rules.filter((rule) => !held.has(rule))).toEqual(empty)
    expect(page.match(/^ +- /gm)).toHaveLength(namedSpecs().length)
  })

  it('names specs that are there', () => {
    const files = new Set(namedSpecs().map(({ file }) => file))
    const titles = new Map([...files].map((file) => [file, testTitles(join(root, file))]))
    const missing = namedSpecs().filter(({ file, title }) => titles.get(file)?.includes(title) !== true)
    expect(missing).toEqual([])
  })

  it('names specs that run on a database', () => {
    const files = new Set(namedSpecs().map(({ file }) => file))
    const without = [...files].filter(
      (file) => !/^ *(?:onSqlite|eachDatabase|describeOn)\(/m.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(without).toEqual([])
  })
})
