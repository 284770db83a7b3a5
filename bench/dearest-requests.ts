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

const chain = (links: number, index: number): string =>
  `filters[$and][${String(index)}]${brackets(back(links))}[id][$ne]=-${String(index)}`

const zone = ['shared.rich-text', 'shared.quote', 'shared.callout', 'shared.slider']

const behindLinks = ['name', 'email', 'bio', 'id', 'documentId', 'createdAt']
  .map((name) => `author.${name}`)
  .concat('category.name')

/** How often one condition asks of a rich text. */
const mostOfBody: Readonly<Record<string, number>> = {
  ...{ $contains: 5, $endsWith: 3 },
}

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
    title: 'two keys through eight links',
    path: `${few}&sort=${['id', 'title'].map((name) => [...back(8), name].join('.')).join()}`,
  },
  { kind: 'conditions', title: '$eq on texts, as many as fit', path: fitting(few, conditionOn('$eq')) },
  ...['$containsi', '$eqi', '$endsWithi', '$contains', '$endsWith'].flatMap((operator) =>
    (
      [
        ['of title', operator === '$endsWithi' ? 13 : 27, 'title'],
        ['of summary', operator === '$endsWithi' ? 9 : 19, 'summary'],
        ['of body', mostOfBody[operator] ?? 1, 'body'],
      ] as const
    ).map(([where, count, name]) => ({
      kind: 'conditions',
      title: `${operator} ${where}, ${String(count)}`,
      path: fitting(few, conditionOn(operator, name), count),
    })),
  ),
  { kind: 'conditions', title: '$containsi of all, 7', path: fitting(few, conditionOn('$containsi'), 7) },
  { kind: 'conditions', title: 'a sigma in body', path: `${few}&filters[body][$containsi]=%20zqσ` },
  {
    kind: 'conditions',
    title: 'one word, 49 times of body',
    path: fitting(few, (index) => `filters[$or][${String(index)}][body][$containsi]=zq`, 49),
  },
  { kind: 'conditions', title: '$lt on body, 9', path: fitting(few, conditionOn('$lt', 'body'), 9) },
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
  ...[8, 40].map((count) => ({
    kind: 'side by side',
    title: `${String(count)} through a list`,
    path: fitting(
      few,
      (index) => `filters[$and][${String(index)}][tags][name][$ne]=x${String(index)}`,
      count,
    ),
  })),
  {
    kind: 'side by side',
    title: 'files and three lists',
    path: fitting(
      `${few}&filters[gallery][id][$ne]=-1`,
      (index) => `filters[$and][${String(index)}][tags][name][$ne]=x${String(index)}`,
      3,
    ),
  },
  {
    kind: 'side by side',
    title: 'author, category, tags, cover, seo',
    path: `${few}&${['author', 'category', 'tags', 'cover', 'seo'].map((name) => `filters[${name}][id][$ne]=-1`).join('&')}`,
  },
  {
    kind: 'side by side',
    title: 'two through two links each',
    path: fitting(few, (index) => chain(2, index), 2),
  },
  {
    kind: 'side by side',
    title: 'two through four links each',
    path: fitting(few, (index) => chain(4, index), 2),
  },
  {
    kind: 'behind a link',
    title: '$containsi of body',
    path: 'authors?fields=id&filters[articles][body][$containsi]=zq',
  },
  {
    kind: 'behind a link',
    title: '$contains of body, twice',
    path: 'authors?fields=id&filters[articles][body][$contains]=zq&filters[articles][body][$endsWith]=qz',
  },
  {
    kind: 'behind a link',
    title: '$containsi of title, 12',
    path: fitting(
      'authors?fields=id',
      (index) => `filters[$or][${String(index)}][articles][title][$containsi]=zq${String(index)}`,
      12,
    ),
  },
  ...[2, 4, 20, 40].map((links) => ({
    kind: 'depth',
    title: `one condition through ${String(links)} links`,
    path: `${few}&filters${brackets(back(links))}[id][$ne]=-1`,
  })),
  ...[2, 4, 13].map((links) => ({
    kind: 'depth',
    title: `one condition through ${String(links)} shared lists`,
    path: `${few}&filters${brackets(lists(links))}[id][$ne]=-1`,
  })),
  ...(
    [
      [3, 2],
      [3, 4],
      [2, 6],
    ] as const
  ).map(([count, links]) => ({
    kind: 'side by side',
    title: `${String(count)} through ${String(links)} shared lists each`,
    path: fitting(
      few,
      (index) => `filters[$and][${String(index)}]${brackets(lists(links))}[id][$ne]=-${String(index)}`,
      count,
    ),
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
    title: 'each component with 100 conditions',
    path: fitting(
      `${page}&${zone.map((uid) => `populate[zone][on][${uid}][fields]=id`).join('&')}`,
      (index) =>
        `populate[zone][on][shared.quote][filters][$or][${String(index)}][id][$eq]=-${String(index)}`,
      90,
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
