/** Queries of groups of articles of the sample, with a value of the response and its type. */
export const typedAggregates = [
  [
    `{ groupBy: ['kind', 'publishedAt:month'], aggregate: { count: true } }`,
    'row',
    `{ group: { kind: 'essay' | 'walk' | 'interview' | 'notebook' | null; 'publishedAt:month': string | null }; count: number }`,
  ],
  [`{ groupBy: 'author.name', aggregate: { count: true } }`, `row.group['author.name']`, 'string | null'],
  [`{ groupBy: 'title', aggregate: { count: true } }`, 'row.group.title', 'string'],
  [`{ groupBy: 'title', aggregate: { count: true }, status: 'draft' }`, 'row.group.title', 'string | null'],
  [`{ groupBy: 'tags', aggregate: { count: true } }`, 'row.group.tags', 'string | null'],
  [
    `{ groupBy: 'author.homeCity.name', aggregate: { avg: 'fee' } }`,
    `row.group['author.homeCity.name']`,
    'string | null',
  ],
  [
    `{ aggregate: { sum: ['fee', 'author.kilometresWalked'], avg: 'fee', countDistinct: 'kind' } }`,
    'row',
    `{ group: {}; sum: { fee: number | string | null; 'author.kilometresWalked': number | string | null }; avg: { fee: number | null }; countDistinct: { kind: number } }`,
  ],
  [
    `{ aggregate: { max: ['fee', 'pitchedOn'] } }`,
    'row.max',
    '{ fee: number | null; pitchedOn: string | null }',
  ],
  [
    `{ groupBy: names, aggregate: { count: true } }`,
    'row.group',
    'Record<string, string | number | boolean | null>',
  ],
  [`{ aggregate: { count: true }, pagination: { withCount: true } }`, 'meta.pagination.total', 'number'],
] as const

export const validAggregates: readonly string[] = [
  `{ groupBy: 'kind', aggregate: { count: true, sum: 'fee' }, having: { count: { $gte: 2 }, sum: { fee: { $gt: 1 } }, kind: { $in: ['essay'] } } }`,
  `{ groupBy: ['author.name', 'kind'], aggregate: { count: true }, sort: ['count:desc', 'author.name'] }`,
  `{ groupBy: 'createdAt:month', aggregate: { avg: 'fee' }, sort: 'createdAt:month:desc', having: { avg: { fee: { $null: false } } } }`,
  `{ aggregate: { count: true }, filters: { author: { name: 'x' } }, locale: 'fr', status: 'draft', _q: 'rain', pagination: { page: 2 } }`,
]

/** The exclamation mark stands where the error is expected. */
export const misplacedAggregates = [
  [`{ groupBy: [!'titel'], aggregate: { count: true } }`, '"title"'],
  [`{ !groupBy: 'author.nam', aggregate: { count: true } }`, '"name"'],
  [`{ !groupBy: 'createdAt:hour', aggregate: { count: true } }`, '"title"'],
  [`{ !groupBy: 'fee:month', aggregate: { count: true } }`, '"title"'],
  [`{ !groupBy: 'sources', aggregate: { count: true } }`, '"title"'],
  [`{ aggregate: { !total: 'fee' } }`, '"countDistinct"'],
  [`{ aggregate: { !count: false } }`, 'true'],
  [`{ aggregate: { sum: [!'feee'] } }`, '"title"'],
  [`{ aggregate: { !sum: undefined } }`, 'never'],
  [`{ aggregate: { !sum: 'sources' } }`, '"title"'],
  [`{ aggregate: { sum: 'fee' }, !sort: 'count' }`, '"sum.fee"'],
  [`{ aggregate: { sum: 'fee' }, having: { !count: { $gt: 1 } } }`, '"sum"'],
  [`{ aggregate: { sum: 'fee' }, having: { sum: { !fees: { $gt: 1 } } } }`, '"fee"'],
  [`{ aggregate: { count: true }, having: { count: { !$gt: true } } }`, 'number'],
  [`{ aggregate: { count: true }, having: { count: { !$contains: '1' } } }`, '"$gt"'],
  [`{ aggregate: { count: true }, filters: { !titel: 'x' } }`, '"title"'],
  [`{ aggregate: { count: true }, !fields: ['title'] }`, '"groupBy"'],
  [`{ aggregate: { count: true }, pagination: { !after: '' } }`, '"pageSize"'],
] as const
