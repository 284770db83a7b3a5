import { dice, documentId, prose, sentence } from './words'

export interface Json {
  readonly json: unknown
}

export type Value = string | number | boolean | Date | Json | null

/** The rows of one table, in the order of its columns. */
export interface Filling {
  readonly table: string
  readonly columns: readonly string[]
  readonly rows: Iterable<readonly Value[]>
}

export const sizes = { authors: 500, categories: 50, tags: 300, countries: 20, files: 3000 } as const

/** So many articles the first two authors have; the rest is spread over all others. */
export const prolific = [2000, 500] as const

const zoneTypes = ['rich-text', 'quote', 'callout', 'slider'] as const
const begin = Date.UTC(2024, 0, 1)
const moment = (number: number): Date => new Date(begin + number * 61_007)
const dated = ['created_at', 'updated_at', 'published_at'] as const
const dates = (number: number): Value[] => [moment(number), moment(number + 1), moment(number + 2)]

function* upTo(count: number): Iterable<number> {
  for (let number = 1; number <= count; number += 1) yield number
}

function filling(
  table: string,
  columns: readonly string[],
  count: number,
  row: (number: number, roll: () => number) => readonly Value[],
): Filling {
  const seed = Array.from(table).reduce((sum, sign) => sum * 31 + sign.charCodeAt(0), 7) | 0
  function* rows(): Iterable<readonly Value[]> {
    for (const number of upTo(count)) yield [number, ...row(number, dice(seed + number))]
  }
  return { table, columns: ['id', ...columns], rows: { [Symbol.iterator]: () => rows()[Symbol.iterator]() } }
}

function typed(
  type: string,
  table: string,
  columns: readonly string[],
  count: number,
  row: (number: number, roll: () => number) => readonly Value[],
): Filling {
  return filling(table, ['document_id', ...columns, ...dated], count, (number, roll) => [
    documentId(type, number),
    ...row(number, roll),
    ...dates(number),
  ])
}

const formats = { thumbnail: 245, small: 500, medium: 750 } as const

function formatsOf(hash: string): object {
  return Object.fromEntries(
    Object.entries(formats).map(([name, width]) => [
      name,
      {
        ext: '.jpg',
        url: `/uploads/${name}_${hash}.jpg`,
        hash: `${name}_${hash}`,
        mime: 'image/jpeg',
        name: `${name}_${hash}.jpg`,
        path: null,
        size: width / 10,
        width,
        height: Math.round(width * 0.75),
      },
    ]),
  )
}

const people = (): Filling[] => [
  typed('country', 'countries', ['name', 'code'], sizes.countries, (number, roll) => [
    sentence(roll, 12),
    `c${String(number).padStart(2, '0')}`,
  ]),
  typed('author', 'authors', ['name', 'email', 'bio'], sizes.authors, (number, roll) => [
    sentence(roll, 18),
    `author${String(number)}@example.org`,
    prose(roll, 300),
  ]),
  filling('authors_country_lnk', ['author_id', 'country_id'], sizes.authors, (number) => [
    number,
    (number % sizes.countries) + 1,
  ]),
  typed('category', 'categories', ['name', 'slug', 'description'], sizes.categories, (number, roll) => [
    sentence(roll, 14),
    `category-${String(number)}`,
    sentence(roll, 120),
  ]),
  typed('tag', 'tags', ['name', 'slug'], sizes.tags, (number, roll) => [
    sentence(roll, 10),
    `tag-${String(number)}`,
  ]),
]

const fileColumns = [
  'name',
  'alternative_text',
  'caption',
  'width',
  'height',
  'formats',
  'hash',
  'ext',
  'mime',
  'size',
  'url',
  'provider',
  'folder_path',
]

const files = (): Filling =>
  typed('file', 'files', fileColumns, sizes.files, (number, roll) => {
    const hash = `picture_${documentId('hash', number).slice(0, 10)}`
    return [
      `${hash}.jpg`,
      sentence(roll, 40),
      null,
      1600,
      1200,
      { json: formatsOf(hash) },
      hash,
      '.jpg',
      'image/jpeg',
      100 + number / 8,
      `/uploads/${hash}.jpg`,
      'local',
      '/',
    ]
  })

function authorOf(article: number): number {
  const place = article % 10
  const [first] = prolific
  if (place === 0 && article / 10 <= first) return 1
  if (place === 5 && article % 40 === 5 && (article - 5) / 40 < prolific[1]) return 2
  return 3 + ((article * 7) % (sizes.authors - 2))
}

/** Every document has a draft and then a published row, as Strapi writes them. */
const articleOf = (row: number): number => Math.ceil(row / 2)
const isPublished = (row: number): boolean => row % 2 === 0

const articleColumns = ['title', 'slug', 'summary', 'body', 'views', 'rating', 'featured', 'released_on']

function articles(rows: number): Filling {
  return filling('articles', ['document_id', ...articleColumns, ...dated], rows, (row) => {
    const number = articleOf(row)
    const roll = dice(number)
    const [created = null, updated = null, published = null] = dates(number)
    return [
      documentId('article', number),
      sentence(roll, 48),
      `article-${String(number)}`,
      sentence(roll, 140),
      prose(roll, 2000),
      Math.floor(roll() * 100_000),
      Math.round(roll() * 50) / 10,
      roll() < 0.1,
      moment(number * 20)
        .toISOString()
        .slice(0, 10),
      created,
      updated,
      isPublished(row) ? published : null,
    ]
  })
}

const links = (rows: number): Filling[] => [
  filling('articles_author_lnk', ['article_id', 'author_id', 'article_ord'], rows, (row) => [
    row,
    authorOf(articleOf(row)),
    articleOf(row),
  ]),
  filling('articles_category_lnk', ['article_id', 'category_id'], rows, (row) => [
    row,
    ((articleOf(row) * 11) % sizes.categories) + 1,
  ]),
  filling('articles_tags_lnk', ['article_id', 'tag_id', 'tag_ord'], rows * 4, (link) => {
    const article = articleOf(Math.ceil(link / 4))
    const place = (link - 1) % 4
    return [Math.ceil(link / 4), ((article * 13 + place * 71) % sizes.tags) + 1, place + 1]
  }),
]

const morphColumns = ['file_id', 'related_id', 'related_type', 'field', 'order']

/** A cover and three pictures for every article row, then an avatar for every author. */
function uses(rows: number): Filling {
  return filling('files_related_mph', morphColumns, rows * 4 + sizes.authors, (use) => {
    if (use > rows * 4) {
      const author = use - rows * 4
      return [(author % sizes.files) + 1, author, 'api::author.author', 'avatar', 1]
    }
    const row = Math.ceil(use / 4)
    const place = (use - 1) % 4
    const file = ((articleOf(row) * 17 + place * 701) % sizes.files) + 1
    return [file, row, 'api::article.article', place === 0 ? 'cover' : 'gallery', Math.max(place, 1)]
  })
}

const componentTable = (type: string): string => `components_shared_${type.replace('-', '_')}s`

const components = (rows: number): Filling[] => [
  filling('components_shared_seos', ['meta_title', 'meta_description'], rows, (_, roll) => [
    sentence(roll, 50),
    sentence(roll, 150),
  ]),
  filling('components_shared_socials', ['network', 'title', 'description'], rows * 2, (number, roll) => [
    number % 2 === 0 ? 'one' : 'other',
    sentence(roll, 30),
    sentence(roll, 60),
  ]),
  filling(componentTable('rich-text'), ['body'], rows, (_, roll) => [prose(roll, 600)]),
  filling(componentTable('quote'), ['text', 'name'], rows, (_, roll) => [
    sentence(roll, 120),
    sentence(roll, 16),
  ]),
  filling(componentTable('callout'), ['title', 'text', 'url'], rows, (number, roll) => [
    sentence(roll, 30),
    sentence(roll, 90),
    `https://example.org/${String(number)}`,
  ]),
  filling(componentTable('slider'), ['title', 'interval'], rows, (number, roll) => [
    sentence(roll, 25),
    number % 9,
  ]),
]

const partColumns = ['entity_id', 'cmp_id', 'component_type', 'field', 'order']

const parts = (rows: number): Filling[] => [
  filling('components_shared_seos_cmps', partColumns, rows * 2, (part) => [
    Math.ceil(part / 2),
    part,
    'shared.social',
    'social',
    part % 2 === 1 ? 1 : 2,
  ]),
  filling('articles_cmps', partColumns, rows * 5, (part) => {
    const row = Math.ceil(part / 5)
    const place = (part - 1) % 5
    if (place === 4) return [row, row, 'shared.seo', 'seo', null]
    return [row, row, `shared.${zoneTypes[place] ?? ''}`, 'zone', place + 1]
  }),
]

/** All content, table by table, in an order that foreign keys allow. */
export function content(documents: number): readonly Filling[] {
  const rows = documents * 2
  return [
    ...people(),
    files(),
    articles(rows),
    ...links(rows),
    uses(rows),
    ...components(rows),
    ...parts(rows),
  ]
}
