import type { SeedContent } from '../../../extensions/seed'

/** What databases think differently of: case, accents, blanks at the end, signs of their own languages, rare scripts. */
export const nastyTexts = [
  'apple',
  'Apple',
  'APPLE',
  'apple ',
  ' apple',
  'ápple',
  'a\u0301pple',
  'äpfel',
  'ÄPFEL',
  'zebra',
  'Zebra',
  'éclair',
  'ECLAIR',
  'ÉCLAIR',
  'straße',
  'STRASSE',
  'ŁÓDŹ',
  'łódź',
  'Σίσυφος',
  'ΣΊΣΥΦΟΣ',
  'Москва',
  'МОСКВА',
  'Ереван Երևան',
  'العربية',
  'עברית',
  '日本語',
  '中文',
  '한국어',
  'हिन्दी',
  '🚀 rocket',
  '🎌',
  '\u{1F468}\u200D\u{1F680}',
  '\uFFFD',
  '\uE000 private',
  '100%',
  '100',
  '1000',
  'a_b',
  'axb',
  'back\\slash',
  'back/slash',
  'excl!mation',
  '"quoted"',
  "it's",
  'line\nbreak',
  'tab\tbed',
  '[brackets]',
  '$eq',
  'null',
  'true',
  '-1',
  '~',
  '_',
  '\u00A0nbsp',
  'zero\u200Bwidth',
  'x'.repeat(250),
] as const

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const text = (index: number): string => pick(nastyTexts, index)
const every = (step: number, index: number): boolean => index % step === 0

const kinds = ['news', 'opinion', 'review', 'interview'] as const
const integers = [0, 1, -1, 10, 9, 2_147_483_647, -2_147_483_648, 42]
const bigs = [
  '0',
  '9007199254740993',
  '-9007199254740995',
  '9223372036854775807',
  '-9223372036854775808',
  '10',
  '9',
]
const floats = [0, 0.5, -0.25, 1.5, 4.125, 1e10, -3]
const decimals = [0, 0.01, 14, 1234578.89, -99.5, 9.99, 10]
const days = ['1970-01-01', '2024-02-29', '1999-12-31', '2024-03-01', '0999-01-01']
const times = ['00:00:00.000', '09:30:15.250', '23:59:59.999', '20:20:20.740']
const instants = [
  '1999-12-31T23:59:59.999Z',
  '2012-01-13T12:12:36.852Z',
  '2024-03-31T01:30:00.000Z',
  '2037-06-01T00:00:00.100Z',
]
const jsons = [{ a: 1, b: [1, 2, { c: null }] }, [], {}, [1, 'é', true], { text: 'ünï' }]

const document = (name: string, index: number): string =>
  `${name}${String(index).padStart(3, '0')}`.padEnd(24, 'x').toLowerCase()

/** Attributes are left out now and then, so that there are NULLs among the values. */
function sparse<T>(index: number, step: number, key: string, value: T): Readonly<Record<string, T>> {
  return every(step, index) ? {} : { [key]: value }
}

const seo = (index: number) => ({
  metaTitle: text(index + 3),
  metaDescription: text(index + 4),
  priority: pick(decimals, index),
  metaImage: `file${String(index % 5)}`,
  metaSocial: [
    {
      socialNetwork: 'Facebook',
      title: text(index).slice(0, 60),
      link: { label: text(index + 1), external: every(2, index) },
    },
    { socialNetwork: 'Mastodon', title: 'two', image: `file${String(index % 3)}` },
  ],
})

const related = (index: number) => ({
  heading: text(index),
  articles: [`article${String((index + 1) % 56)}`, `article${String((index + 7) % 56)}`],
  author: `author${String(index % 20)}`,
  tags: [`tag${String(index % 12)}`],
})

function article(index: number): object {
  return {
    $ref: `article${String(index)}`,
    documentId: document('article', index),
    $status: every(11, index) ? 'draft' : 'published',
    createdAt: pick(instants, index),
    updatedAt: pick(instants, index + 1),
    ...(every(11, index) ? {} : { publishedAt: pick(instants, index + 2) }),
    title: text(index),
    slug: `article-${String(index)}`,
    ...sparse(index, 5, 'summary', text(index + 13)),
    ...sparse(index, 3, 'body', `${text(index)} ${text(index + 1)}`),
    ...sparse(index, 4, 'content', [{ type: 'paragraph', children: [{ type: 'text', text: text(index) }] }]),
    ...sparse(index, 6, 'kind', pick(kinds, index)),
    contactEmail: `${every(2, index) ? 'Mail' : 'mail'}${String(index % 9)}@example.com`,
    secret: 'hidden',
    internalNote: text(index),
    ...sparse(index, 7, 'publishDate', pick(days, index)),
    ...sparse(index, 7, 'airTime', pick(times, index)),
    ...sparse(index, 5, 'startsAt', pick(instants, index)),
    ...sparse(index, 4, 'stampedAt', pick(instants, index)),
    ...sparse(index, 9, 'views', pick(integers, index)),
    ...sparse(index, 8, 'bigViews', pick(bigs, index)),
    ...sparse(index, 7, 'rating', pick(floats, index)),
    ...sparse(index, 6, 'price', pick(decimals, index)),
    ...sparse(index, 5, 'featured', every(2, index)),
    ...sparse(index, 4, 'extra', pick(jsons, index)),
    ...sparse(index, 3, 'cover', `file${String(index % 5)}`),
    gallery: [`file${String(index % 5)}`, `file${String((index + 2) % 5)}`],
    ...sparse(index, 6, 'author', `author${String(index % 20)}`),
    ...sparse(index, 4, 'reviewer', `author${String((index + 1) % 20)}`),
    coAuthors: [`author${String((index + 2) % 20)}`, `author${String((index + 5) % 20)}`],
    ...sparse(index, 5, 'category', `category${String(index % 10)}`),
    tags: [`tag${String(index % 12)}`, `tag${String((index + 5) % 12)}`],
    countries: [`country${String(index % 8)}`, `country${String((index + 3) % 8)}`],
    ...sparse(index, 2, 'originCountry', `country${String(index % 8)}`),
    relatedArticles: [`article${String((index + 1) % 56)}`, `article${String((index + 9) % 56)}`],
    ...(index % 4 === 1 ? { sequel: `article${String(index + 1)}` } : {}),
    ...sparse(index, 3, 'seo', seo(index)),
    quotes: [0, 1, 2].slice(index % 4).map((offset) => ({
      title: text(index + offset),
      body: text(index + offset + 5),
      year: pick(integers, index + offset),
      saidAt: pick(instants, index + offset),
      ...sparse(index, 2, 'speaker', `author${String((index + offset) % 20)}`),
    })),
    ...sparse(index, 3, 'relatedBlock', related(index)),
    ...(every(3, index)
      ? { $locales: { fr: { title: `${text(index)} fr` }, de: { title: text(index + 20) } } }
      : {}),
    ...(index % 5 === 2 && !every(11, index)
      ? { $draft: { title: `${text(index)} (draft)`.slice(0, 255) } }
      : {}),
  }
}

const zone = (index: number): readonly object[] => [
  { __component: 'shared.rich-text', body: text(index), extra: pick(jsons, index) },
  {
    __component: 'shared.quote',
    title: text(index + 2),
    year: pick(integers, index),
    speaker: `author${String(index % 20)}`,
  },
  { __component: 'shared.related', ...related(index) },
  {
    __component: 'layout.cta',
    heading: text(index + 1),
    weight: pick(bigs, index),
    links: [{ label: text(index), url: '/a', external: true, page: `page${String((index + 1) % 6)}` }],
    seo: seo(index),
  },
]

const repeat = (count: number, make: (index: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => make(index))

const dates = (index: number) => ({
  createdAt: pick(instants, index),
  updatedAt: pick(instants, index + 1),
  publishedAt: pick(instants, index + 2),
})

export const content = {
  $locales: ['en', 'fr', 'de'],
  file: repeat(5, (index) => ({
    $ref: `file${String(index)}`,
    documentId: document('file', index),
    ...dates(index),
    name: `${text(index + 9)}.jpg`,
    url: `/uploads/file_${String(index)}.jpg`,
    mime: 'image/jpeg',
    ext: '.jpg',
    hash: `file_${String(index)}`,
    size: 12.25,
    width: 100 + index,
    height: 50,
    provider: 'local',
  })),
  country: repeat(8, (index) => ({
    $ref: `country${String(index)}`,
    documentId: document('country', index),
    ...dates(index),
    name: text(index * 5),
    code: `C${String(index)}`,
    ...sparse(index, 4, 'population', pick(bigs, index)),
    area: pick(decimals, index),
  })),
  author: repeat(20, (index) => ({
    $ref: `author${String(index)}`,
    documentId: document('author', index),
    ...dates(index),
    name: text(index * 3),
    ...sparse(index, 3, 'bio', text(index + 8)),
    email: `author${String(index)}@example.com`,
    ...sparse(index, 4, 'born', pick(days, index)),
    reputation: pick(bigs, index),
    ...sparse(index, 3, 'country', `country${String(index % 8)}`),
    ...(index > 4 ? { mentor: `author${String(index % 4)}` } : {}),
    avatar: `file${String(index % 5)}`,
    social: [{ socialNetwork: 'Twitter', title: 'x', link: { label: text(index) } }],
  })),
  tag: repeat(12, (index) => ({
    $ref: `tag${String(index)}`,
    documentId: document('tag', index),
    ...dates(index),
    name: text(index * 4 + 1),
    ...sparse(index, 4, 'color', pick(['red', 'green', 'blue'], index)),
    weight: pick(floats, index),
  })),
  category: repeat(10, (index) => ({
    $ref: `category${String(index)}`,
    documentId: document('category', index),
    ...dates(index),
    name: text(index * 2),
    slug: `category-${String(index)}`,
    position: pick(integers, index),
    ...(index > 2 ? { parent: `category${String(index % 3)}` } : {}),
    moderators: [`author${String(index)}`, `author${String(index + 3)}`],
    icon: `file${String(index % 5)}`,
  })),
  article: repeat(56, article),
  page: repeat(6, (index) => ({
    $ref: `page${String(index)}`,
    documentId: document('page', index),
    ...dates(index),
    title: text(index * 6),
    path: `page-${String(index)}`,
    sections: zone(index),
    owners: [`author${String(index)}`],
    seo: seo(index),
    leadArticle: `article${String(index + 1)}`,
  })),
  comment: repeat(12, (index) => ({
    $ref: `comment${String(index)}`,
    documentId: document('comment', index),
    ...dates(index),
    text: text(index),
    score: pick(integers, index),
    ...sparse(
      index,
      3,
      'subject',
      pick([{ author: 'author1' }, { country: 'country2' }, { article: 'article3' }], index),
    ),
    mentions: [{ article: `article${String(index + 1)}` }, { author: 'author2' }, { page: 'page1' }],
  })),
  homepage: {
    documentId: document('homepage', 0),
    ...dates(0),
    heading: 'Hello',
    featured: ['article1', 'article2'],
    blocks: zone(1),
    seo: seo(2),
    $locales: { fr: { heading: 'Bonjour' } },
  },
  global: {
    documentId: document('global', 0),
    ...dates(1),
    siteName: 'Site',
    settings: { a: [1, 2] },
    defaultSeo: seo(1),
    editorInChief: 'author1',
  },
} as unknown as SeedContent

/** Ids of documents in the content, in the place of those in recorded requests. */
export const documents = repeat(56, () => ({})).map((_, index) => document('article', index))
