// The same depth in every notation that has one, for the types of the library.

/** As docs/how-to/limits-for-public-apis.md says. */
export const mostLevels = 250

export interface Notation {
  readonly name: string
  /** Path and query of one that goes so many levels deep. */
  readonly path: (levels: number) => string
  /** Equal for notations of the same query. */
  readonly says?: string
  /** Relations in a row have a lower limit. */
  readonly isRefused?: true
}

const names = (count: number, among: readonly string[], from = 0): readonly string[] =>
  Array.from({ length: Math.max(count, 0) }, (_, index) => among[(from + index) % among.length] ?? '')

const family = ['parent', 'children']
const kin = (count: number, from = 0): readonly string[] => names(count, family, from)

const inBrackets = (list: readonly string[]): string => list.map((one) => `[${one}]`).join('')
const populated = (list: readonly string[]): string => list.map((one) => `[${one}][populate]`).join('')

const says = 'parents and children'
const half = (levels: number): number => Math.floor(levels / 2)

const populates: readonly Notation[] = [
  { name: 'dotted names', says, path: (levels) => `genres?populate=${kin(levels).join('.')}` },
  { name: 'dotted names in a list', says, path: (levels) => `genres?populate[0]=${kin(levels).join('.')}` },
  {
    name: 'dotted names behind a comma',
    says,
    path: (levels) => `genres?populate=parent,${kin(levels).join('.')}`,
  },
  {
    name: 'names in brackets',
    says,
    path: (levels) => `genres?populate${populated(kin(levels - 1))}[${kin(1, levels - 1).join('')}]=true`,
  },
  {
    name: 'names in brackets, the last in a list',
    says,
    path: (levels) => `genres?populate${populated(kin(levels - 1))}[0]=${kin(1, levels - 1).join('')}`,
  },
  {
    name: 'dotted names behind names in brackets',
    says,
    path: (levels) =>
      `genres?populate${populated(kin(half(levels)))}=${kin(levels - half(levels), half(levels)).join('.')}`,
  },
  { name: 'a star behind names', path: (levels) => `genres?populate${populated(kin(levels - 1))}=*` },
  {
    name: 'dotted names through zones',
    path: (levels) => `books?populate=${names(levels, ['sections', 'books']).join('.')}`,
  },
  {
    name: 'fragments of zones',
    path: (levels) => {
      const circle = ['[sections][on]', '[page.pick][populate]', '[books][populate]']
      const last = ['[sections][count]=true', '[page.pick]=true', '[books]=true']
      return `books?populate${names(levels - 1, circle).join('')}${last[(levels - 1) % 3] ?? ''}`
    },
  },
]

const inFilters: readonly (readonly [name: string, above: readonly string[]])[] = [
  ['names of conditions', ['[parent]', '[children]']],
  ['negations', ['[$not]']],
  ['negations of names', ['[$not]', '[parent]', '[$not]', '[children]']],
  ['groups of all', ['[$and][0]']],
  ['groups of any', ['[$or][0]']],
  ['groups of groups', ['[$or][0]', '[$and][0]']],
  ['groups behind names', ['[$and][0]', '[parent]', '[$or][0]', '[children]']],
]

const conditions: readonly Notation[] = inFilters
  .flatMap(([name, above]): Notation[] => [
    { name, path: (levels) => `genres?filters${names(levels - 1, above).join('')}[id][$notNull]=true` },
    {
      name: `${name}, twice in each group`,
      path: (levels) => {
        const nest = names(levels - 1, above).join('')
        return `genres?filters${nest}[id][$notNull]=true&filters${nest}[name][$ne]=x`
      },
    },
    {
      name: `${name}, below what is populated`,
      path: (levels) => {
        const nest = names(levels - half(levels) - 1, above).join('')
        const [first = '', ...more] = kin(half(levels))
        return `genres?populate[${first}]${more.map((one) => `[populate][${one}]`).join('')}[filters]${nest}[id][$notNull]=true`
      },
    },
  ])
  .map((notation) => (notation.name.includes('names') ? { ...notation, isRefused: true } : notation))

const sorts: readonly Notation[] = [
  { name: 'dotted sorts', path: (levels) => `genres?sort=${[...kin(levels - 1), 'name'].join('.')}` },
  {
    name: 'sorts in a list',
    path: (levels) => `genres?sort[0]=${[...kin(levels - 1), 'name'].join('.')}:desc`,
  },
  {
    name: 'sorts in brackets',
    path: (levels) => `genres?sort${inBrackets([...kin(levels - 1), 'name'])}=asc`,
  },
  {
    name: 'sorts of what is populated',
    path: (levels) =>
      `genres?populate${populated(kin(9)).slice(0, -'[populate]'.length)}[sort]=${[...kin(levels - 10), 'name'].join('.')}`,
  },
]

export const notations: readonly Notation[] = [
  ...populates,
  ...conditions,
  ...sorts.map((sort): Notation => ({ ...sort, isRefused: true })),
]
