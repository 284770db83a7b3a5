/** The dearest of one kind of thing that a query can ask, as far as the default limits and Node's longest request line let it. */
export interface Dear {
  readonly kind: string
  readonly title: string
  /** Behind `/api/`. */
  readonly path: string
}

const upTo = (count: number): number[] => [...Array(count).keys()]
const repeated = (count: number, make: (index: number) => string): string => upTo(count).map(make).join('&')

/** Node's default for all headers together is 16 KB. */
const longestPath = 15_500

/** As many of them as fit into a request line. */
function fitting(begin: string, make: (index: number) => string, most = 950): string {
  let path = begin
  for (const index of upTo(most)) {
    const longer = `${path}&${make(index)}`
    if (longer.length > longestPath) break
    path = longer
  }
  return path
}

const page = 'articles?pagination[pageSize]=100'
const few = 'articles?fields=id'
const back = (links: number): string[] => upTo(links).map((link) => (link % 2 === 0 ? 'author' : 'articles'))
const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

const texts = ['title', 'slug', 'summary', 'body'] as const
const textAt = (index: number): string => texts[index % texts.length] ?? 'title'

const conditionOn =
  (operator: string, value = 'zq') =>
  (index: number): string =>
    `filters[$or][${String(index % 90)}][${textAt(index)}][${operator}]=${value}${String(index)}`

const chain = (links: number, index: number): string =>
  `filters[$and][${String(index)}]${brackets(back(links))}[id][$ne]=-${String(index)}`

const zone = ['shared.rich-text', 'shared.quote', 'shared.callout', 'shared.slider']

export const dearest: readonly Dear[] = [
  { kind: 'page', title: '100 entries, populate=*', path: `${page}&populate=*` },
  { kind: 'page', title: 'the last page', path: `${page}&pagination[page]=200` },
  {
    kind: 'sort keys',
    title: 'all attributes',
    path: `${few}&sort=title,slug,summary,body,views,rating,featured,releasedOn,createdAt,updatedAt`,
  },
  {
    kind: 'sort keys',
    title: 'one key, 900 times',
    path: `${few}&sort=${Array(900).fill('author.name').join()}`,
  },
  ...[1, 2, 4, 8].map((links) => ({
    kind: 'sort through links',
    title: `${String(links)} links, there and back`,
    path: `${few}&sort=${[...back(links), 'id'].join('.')}`,
  })),
  {
    kind: 'sort through links',
    title: 'two keys through eight links',
    path: `${few}&sort=${['id', 'title'].map((name) => [...back(8), name].join('.')).join()}`,
  },
  { kind: 'conditions', title: '$eq on texts, as many as fit', path: fitting(few, conditionOn('$eq')) },
  ...['$containsi', '$eqi', '$startsWithi'].flatMap((operator) => [
    { kind: 'conditions', title: `${operator}, 49`, path: fitting(few, conditionOn(operator), 49) },
    { kind: 'conditions', title: `${operator}, as many as fit`, path: fitting(few, conditionOn(operator)) },
  ]),
  { kind: 'conditions', title: '$contains, as many as fit', path: fitting(few, conditionOn('$contains')) },
  {
    kind: 'conditions',
    title: '$eq on numbers, as many as fit',
    path: fitting(few, (index) => `filters[$or][${String(index % 90)}][views][$eq]=-${String(index)}`),
  },
  {
    kind: 'side by side',
    title: '90 through one link',
    path: fitting(few, (index) => `filters[$and][${String(index)}][author][name][$ne]=x${String(index)}`, 90),
  },
  ...[40, 90].map((count) => ({
    kind: 'side by side',
    title: `${String(count)} through a list`,
    path: fitting(
      few,
      (index) => `filters[$and][${String(index)}][tags][name][$ne]=x${String(index)}`,
      count,
    ),
  })),
  ...[10, 30].map((count) => ({
    kind: 'side by side',
    title: `${String(count)} through four links each`,
    path: fitting(few, (index) => chain(4, index), count),
  })),
  ...[40, 240].map((links) => ({
    kind: 'depth',
    title: `one condition through ${String(links)} links`,
    path: `${few}&filters${brackets(back(links))}[id][$ne]=-1`,
  })),
  {
    kind: 'depth',
    title: '200 nested $not',
    path: `${few}&filters${'[$not]'.repeat(200)}[title][$containsi]=zq`,
  },
  {
    kind: '$in',
    title: 'lists of 100 texts, as many as fit',
    path: fitting(
      few,
      (index) =>
        `filters[$or][${String(Math.floor(index / 100))}][title][$in][${String(index % 100)}]=t${String(index)}`,
    ),
  },
  {
    kind: '$in',
    title: 'lists of 100 ids, as many as fit',
    path: fitting(
      few,
      (index) =>
        `filters[$or][${String(Math.floor(index / 100))}][id][$in][${String(index % 100)}]=${String(index)}`,
    ),
  },
  { kind: '_q', title: 'a word that is nowhere', path: `${few}&_q=zqzq` },
  { kind: '_q', title: 'ten thousand letters', path: `${few}&_q=${'zq'.repeat(5000)}` },
  { kind: 'populate', title: 'there and back, 2 links', path: `${page}&populate=${back(2).join('.')}` },
  { kind: 'populate', title: 'there and back, 4 links', path: `${page}&populate=${back(4).join('.')}` },
  {
    kind: 'populate',
    title: 'there and back, 400 links',
    path: `articles?pagination[pageSize]=1&populate=${back(400).join('.')}`,
  },
  {
    kind: 'populate',
    title: 'there and back, 400 links, 100 entries',
    path: `${page}&populate=${back(400).join('.')}`,
  },
  {
    kind: 'populate',
    title: 'all articles of 25 authors, with all they lead to',
    path: `authors?populate[articles][populate]=*`,
  },
  {
    kind: 'populate',
    title: 'filters at each of 20 levels',
    path: `${page}&${repeated(10, (index) => `populate[author]${brackets(upTo(index).flatMap(() => ['populate', 'articles', 'populate', 'author']))}[filters][name][$containsi]=a`)}`,
  },
  {
    kind: 'nested pages',
    title: 'three of each author, sorted by text',
    path: 'authors?pagination[pageSize]=100&populate[articles][pagination][pageSize]=3&populate[articles][sort]=title',
  },
  {
    kind: 'nested pages',
    title: 'eight levels of pages',
    path: `${page}&${repeated(8, (index) => `populate[author]${brackets(upTo(index).flatMap(() => ['populate', 'articles', 'populate', 'author']))}[populate][articles][pagination][pageSize]=100`)}`,
  },
  {
    kind: 'zones',
    title: 'all components with all they hold',
    path: `${page}&${zone.map((uid) => `populate[zone][on][${uid}][populate]=*`).join('&')}`,
  },
  {
    kind: 'zones',
    title: 'each component with 100 conditions',
    path: fitting(
      `${page}&${zone.map((uid) => `populate[zone][on][${uid}]=true`).join('&')}`,
      (index) =>
        `populate[zone][on][shared.quote][filters][$or][${String(index)}][id][$eq]=-${String(index)}`,
      90,
    ),
  },
]
