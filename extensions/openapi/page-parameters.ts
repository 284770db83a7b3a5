import { publicationFilters } from '../../lib/query'
import type { FilledOptions } from '../../lib/config'
import type { ShownType } from '../../lib/describe'
import { type JsonPart, listOf, refTo } from './json-part'

/** Dotted names through relations, which no enum lists. */
export const linkPath: JsonPart = {
  type: 'string',
  pattern: '^[^.,]+(\\.[^.,]+)+$',
  description: 'Names with dots between, through links',
}

const namesOr = (names: readonly string[]): JsonPart =>
  listOf({ anyOf: [{ type: 'string', enum: names }, refTo('schemas', 'LinkPath')] })

export function shapeParameters({ scalars, links }: ShownType): Readonly<Record<string, JsonPart>> {
  const names = [...scalars.keys()]
  return {
    fields: inQuery('fields', {
      schema: listOf({ type: 'string', enum: ['*', ...names] }),
      description: 'The scalar attributes that entries are shown with',
      example: names.slice(0, 1),
    }),
    ...(links.size > 0
      ? {
          populate: inQuery('populate', {
            schema: namesOr(['*', ...links.keys()]),
            description: 'The links that entries are shown with; `*`: all, one level deep',
            example: ['*'],
          }),
        }
      : {}),
  }
}

export function sortParameter({ scalars }: ShownType): JsonPart {
  // Databases disagree on the order of JSON.
  const names = [...scalars].flatMap(([name, { column }]) =>
    column.type === 'json' ? [] : [name, `${name}:desc`],
  )
  return inQuery('sort', {
    schema: namesOr(names),
    description: 'By which attributes; with `:desc` from the last to the first',
    example: names.slice(0, 1),
  })
}

interface ParameterFacts {
  readonly schema: JsonPart
  readonly description: string
  readonly example?: unknown
}

export const inQuery = (name: string, facts: ParameterFacts): JsonPart => ({ name, in: 'query', ...facts })

type PageSizes = Pick<FilledOptions['pagination'], 'defaultPageSize' | 'maxPageSize' | 'withCount'>

export function pageParameters({
  defaultPageSize,
  maxPageSize,
  withCount,
}: PageSizes): Readonly<Record<string, JsonPart>> {
  // A larger size is reduced to the maximum without an error, so there is no `maximum`.
  const size = { type: 'integer', minimum: 1, default: Math.min(defaultPageSize, maxPageSize) }
  const most = `at most ${String(maxPageSize)}`
  const page = (name: string, facts: ParameterFacts): JsonPart => inQuery(`pagination[${name}]`, facts)
  const cursor = { schema: { type: 'string' }, example: '' }
  return {
    page: page('page', {
      schema: { type: 'integer', minimum: 1, default: 1 },
      description: 'The number of the page. Not beside start and limit.',
      example: 1,
    }),
    pageSize: page('pageSize', { schema: size, description: `How many entries it has, ${most}`, example: 2 }),
    start: page('start', {
      schema: { type: 'integer', minimum: 0, default: 0 },
      description: 'How many entries come before. Not beside page and pageSize.',
      example: 1,
    }),
    limit: page('limit', { schema: size, description: `How many entries there are, ${most}`, example: 2 }),
    withCount: page('withCount', {
      schema: { type: 'boolean', default: withCount },
      description: 'Whether the answer tells the total',
      example: true,
    }),
    after: page('after', { ...cursor, description: 'The page behind this cursor; blank, the first page' }),
    before: page('before', {
      ...cursor,
      description: 'The page in front of this cursor; blank, the last page',
    }),
  }
}

export const entryParameters: Readonly<Record<string, JsonPart>> = {
  locale: inQuery('locale', {
    schema: { type: 'string' },
    description: 'The locale; `*` for all. For several it stands in the query several times',
    example: 'en',
  }),
  fallback: inQuery('fallback', {
    schema: { type: 'string' },
    description:
      'The locales, with commas between, that stand in for one that a document lacks; `false` for none',
    example: 'en',
  }),
}

export const searchParameter = inQuery('_q', {
  schema: { type: 'string' },
  description: 'A text that is looked for in the texts of entries',
  example: 'a',
})

export const draftParameters: Readonly<Record<string, JsonPart>> = {
  status: inQuery('status', {
    schema: { type: 'string', enum: ['published', 'draft'], default: 'published' },
    description: 'Which versions of entries',
    example: 'draft',
  }),
  publicationFilter: inQuery('publicationFilter', {
    schema: { type: 'string', enum: publicationFilters },
    description: 'Which entries, by what there is of their other version',
    example: 'has-published-version',
  }),
}
