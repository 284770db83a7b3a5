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
const lists = (links: number): string[] => upTo(links).map((link) => (link % 2 === 0 ? 'tags' : 'articles'))
const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('')

const texts = ['title', 'slug', 'summary', 'body'] as const
const textAt = (index: number): string => texts[index % texts.length] ?? 'title'

/** On one text, or on each of them in turn. A blank stands before all that there is. */
const conditionOn =
  (operator: string, name?: string) =>
  (index: number): string =>
    `filters[$or][${String(index % 90)}][${name ?? textAt(index)}][${operator}]=%20zq${String(index)}`

const chain = (names: readonly string[], index: number, at = '$and'): string =>
  `filters[${at}][${String(index)}]${brackets(names)}[id][$ne]=-${String(index)}`

const zone = ['shared.rich-text', 'shared.quote', 'shared.callout', 'shared.slider']

const behindLinks = ['name', 'email', 'bio', 'id', 'documentId', 'createdAt']
  .map((name) => `author.${name}`)
  .concat('category.name')

/** As many conditions as `query.maxConditions` takes of a line, a paragraph, and pages. */
const mostOf = { title: 50, summary: 25, body: 3 } as const

const otherBody = (index: number): string =>
  `filters[$and][${String(index)}][body][$notContainsi]=zq${String(index)}`

const listKeys = (count: number): string =>
  upTo(count)
    .map(
      (index) =>
        `tags.${['name', 'slug', 'id', 'documentId'][index % 4] ?? ''}:${index < 4 ? 'asc' : 'desc'}`,
    )
    .join()

export const dearest: readonly Dear[] = [
  { kind: 'page', title: '100 entries, populate=*', path: `${page}&populate=*` },
  { kind: 'page', title: 'the last page', path: `${page}&pagination[page]=200` },
  {
    kind: 'sort keys',
    title: 'all attributes',
    path: `${few}&sort=title,slug,summary,body,views,rating,featured,releasedOn,createdAt,updatedAt`,
  },
  { kind: 'sort keys', title: 'a rich text', path: `${few}&sort=body` },
  {
    kind: 'sort keys',
    title: 'seven through a link',
    path: `${few}&sort=${behindLinks.join()}`,
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
  { kind: 'sort through links', title: 'a list', path: `${few}&sort=tags.name` },
  { kind: 'sort through links', title: 'two lists', path: `${few}&sort=tags.name,gallery.name` },
  {
    kind: 'sort through links',
    title: 'five keys of a file',
    path: `${few}&sort=cover.name,cover.ext,cover.mime,cover.hash,cover.provider`,
  },
  {
    kind: 'sort through links',
    title: 'rich texts behind links',
    path: `${few}&sort=author.articles.body`,
  },
  {
    kind: 'sort through links',
    title: 'four keys of a list',
    path: `${few}&sort=${listKeys(4)}`,
  },
  { kind: 'conditions', title: '$eq on texts, 50', path: fitting(few, conditionOn('$eq'), 50) },
  ...['$containsi', '$eqi', '$endsWithi', '$contains', '$endsWith', '$lt'].flatMap((operator) =>
    Object.entries(mostOf).map(([name, most]) => {
      const count = operator === '$endsWithi' ? Math.floor(most / 2) : most
      return {
        kind: 'conditions',
        title: `${operator} of ${name}, ${String(count)}`,
        path: fitting(few, conditionOn(operator, name), count),
      }
    }),
  ),
  {
    kind: 'conditions',
    title: 'a sigma in body, 3',
    path: fitting(
      few,
      (index) => `filters[$or][${String(index)}][body][$containsi]=%20zqσ${String(index)}`,
      3,
    ),
  },
  {
    kind: 'conditions',
    title: '$eq on numbers, 50',
    path: fitting(few, (index) => `filters[$or][${String(index % 90)}][views][$eq]=-${String(index)}`, 50),
  },
  ...(
    [
      [8, ['author']],
      [8, ['tags']],
      [8, ['gallery']],
      [8, ['seo']],
      [4, ['tags', 'articles']],
      [4, ['author', 'articles']],
      [2, lists(4)],
      [2, back(4)],
      [1, lists(8)],
      [1, back(8)],
    ] as const
  ).map(([count, names]) => ({
    kind: 'side by side',
    title: `${String(count)} through ${names.join('.')}`,
    path: fitting(few, (index) => chain(names, index), count),
  })),
  ...['$none', '$every'].map((which) => ({
    kind: 'side by side',
    title: `8 ${which} of tags`,
    path: fitting(
      few,
      (index) => `filters[$and][${String(index)}][tags][${which}][name][$ne]=x${String(index)}`,
      8,
    ),
  })),
  {
    kind: 'side by side',
    title: '4 $count of tags',
    path: fitting(
      few,
      (index) => `filters[$and][${String(index)}][tags][$count][$lt]=${String(index + 10)}`,
      4,
    ),
  },
  {
    kind: 'behind a link',
    title: '$containsi of body, 3',
    path: fitting(
      'authors?fields=id',
      (index) => `filters[articles][$or][${String(index)}][body][$containsi]=zq${String(index)}`,
      3,
    ),
  },
  {
    kind: 'behind a link',
    title: '$containsi of title, 50',
    path: fitting(
      'authors?fields=id',
      (index) => `filters[articles][$or][${String(index % 90)}][title][$containsi]=zq${String(index)}`,
      50,
    ),
  },
  {
    kind: 'cursors',
    title: '$notContainsi of body, 3, and the total',
    path: fitting(`${few}&pagination[after]=&pagination[withCount]=true`, otherBody, 3),
  },
  {
    kind: 'all at once',
    title: '2 texts of pages, 8 lists',
    path: fitting(fitting(few, otherBody, 2), (index) => chain(['gallery'], index + 2), 8),
  },
  {
    kind: 'all at once',
    title: '2 texts of pages, 4 lists, sorted by two keys of a list',
    path: `${fitting(fitting(few, otherBody, 2), (index) => chain(['gallery'], index + 2), 4)}&sort=${listKeys(2)}`,
  },
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
  { kind: '_q', title: 'a word with a sigma', path: `${few}&_q=zqσzq` },
  {
    kind: '_q',
    title: 'with a filter and a sort through links',
    path: `${few}&_q=zqzq&filters[category][slug][$ne]=zq&sort=author.name`,
  },
  { kind: '_q', title: 'ten thousand letters', path: `${few}&_q=${'zq'.repeat(5000)}` },
  { kind: 'populate', title: 'there and back, 2 links', path: `${page}&populate=${back(2).join('.')}` },
  { kind: 'populate', title: 'there and back, 4 links', path: `${page}&populate=${back(4).join('.')}` },
  {
    kind: 'populate',
    title: 'there and back, 240 links',
    path: `articles?pagination[pageSize]=1&populate=${back(240).join('.')}`,
  },
  {
    kind: 'populate',
    title: 'there and back, 240 links, 100 entries',
    path: `${page}&populate=${back(240).join('.')}`,
  },
  {
    kind: 'populate',
    title: 'all articles of 25 authors, with all they lead to',
    path: `authors?populate[articles][populate]=*`,
  },
  {
    kind: 'populate',
    title: 'all articles of 30 authors, with all they lead to',
    path: 'authors?pagination[page]=5&pagination[pageSize]=30&populate[articles][populate]=*',
  },
  {
    kind: 'populate',
    title: 'the same of 12',
    path: 'authors?pagination[page]=5&pagination[pageSize]=12&populate[articles][populate]=*',
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
    title: 'each component with 50 conditions',
    path: fitting(
      `${page}&${zone.map((uid) => `populate[zone][on][${uid}][fields]=id`).join('&')}`,
      (index) =>
        `populate[zone][on][shared.quote][filters][$or][${String(index)}][id][$eq]=-${String(index)}`,
      50,
    ),
  },
]

/** The same with more and more of one thing. `~` is another number each time. */
export interface Steps {
  readonly title: string
  readonly counts: readonly number[]
  readonly path: (count: number) => string
}

const sideBySide = (relation: string, count: number): string =>
  `${few}&${repeated(count, (index) => `filters[$and][${String(index)}][${relation}][name][$ne]=~x${String(index)}`)}`

export const steps: readonly Steps[] = [
  ...[back, lists].map((way) => ({
    title: `a condition through so many links, ${way(2).join(' and ')}`,
    counts: [1, 2, 4, 8, 20, 38],
    path: (links: number) => `${few}&filters${brackets(way(links))}[id][$ne]=-~`,
  })),
  {
    title: 'a sort through so many links',
    counts: [1, 2, 4, 8],
    path: (links) => `${few}&filters[id][$ne]=-~&sort=${[...back(links), 'id'].join('.')}`,
  },
  ...['tags', 'author'].map((relation) => ({
    title: `so many conditions side by side through ${relation}`,
    counts: [2, 10, 40, 200],
    path: (count: number) => sideBySide(relation, count),
  })),
]
