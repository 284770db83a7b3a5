import { publicationFilters } from '../../lib/query'
import type { FilledOptions } from '../../lib/config'
import type { ShownType } from '../../lib/describe'
import { type JsonPart, listOf, refTo } from './json-part'

/** Dotted names through relations, which no enum lists. */
export const linkPath: JsonPart = {
  type: 'string',
  pattern: '^[^.,]+(\\.[^.,]+)+$',
  description: 'A path of relation names, separated by dots',
}

const namesOr = (names: readonly string[]): JsonPart =>
  listOf({ anyOf: [{ type: 'string', enum: names }, refTo('schemas', 'LinkPath')] })

export function shapeParameters({ scalars, links }: ShownType): Readonly<Record<string, JsonPart>> {
  const names = [...scalars.keys()]
  return {
    fields: inQuery('fields', {
      schema: listOf({ type: 'string', enum: ['*', ...names] }),
      description: 'The scalar attributes to return',
      example: names.slice(0, 1),
    }),
    ...(links.size > 0
      ? {
          populate: inQuery('populate', {
            schema: namesOr(['*', ...links.keys()]),
            description: 'The relations to return. `*` returns all relations, one level deep.',
            example: ['*'],
          }),
        }
      : {}),
  }
}

export function sortParameter({ scalars, ranked }: ShownType): JsonPart {
  // Databases disagree on the order of JSON.
  const own = [...scalars].flatMap(([name, { column }]) =>
    column.type === 'json' ? [] : [name, `${name}:desc`],
  )
  const names = [...own, ...(ranked.length > 0 ? ['_rank'] : [])]
  return inQuery('sort', {
    schema: namesOr(names),
    description: 'The attributes to sort by. `:desc` sorts in descending order.',
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
      description: 'The number of the page. It cannot be combined with start and limit.',
      example: 1,
    }),
    pageSize: page('pageSize', {
      schema: size,
      description: `The number of entries on the page, ${most}`,
      example: 2,
    }),
    start: page('start', {
      schema: { type: 'integer', minimum: 0, default: 0 },
      description: 'The number of entries to skip. It cannot be combined with page and pageSize.',
      example: 1,
    }),
    limit: page('limit', {
      schema: size,
      description: `The number of entries to return, ${most}`,
      example: 2,
    }),
    withCount: page('withCount', {
      schema: { type: ['boolean', 'string'], enum: [true, false, 'estimated'], default: withCount },
      description: 'Adds the total to the response. With `estimated`, a total above 10,000 is an estimate.',
      example: true,
    }),
    after: page('after', {
      ...cursor,
      description: 'The page after this cursor. An empty value returns the first page.',
    }),
    before: page('before', {
      ...cursor,
      description: 'The page before this cursor. An empty value returns the last page.',
    }),
  }
}

export const entryParameters: Readonly<Record<string, JsonPart>> = {
  locale: inQuery('locale', {
    schema: { type: 'string' },
    description: 'The locale. `*` selects all locales. To select several locales, repeat the parameter.',
    example: 'en',
  }),
  fallback: inQuery('fallback', {
    schema: { type: 'string' },
    description:
      'Comma-separated locales to use if the document lacks the requested locale. `false` disables the fallback.',
    example: 'en',
  }),
}

export const searchParameter = inQuery('_q', {
  schema: { type: 'string' },
  description: 'The text to search for in the strings of entries',
  example: 'a',
})

export const draftParameters: Readonly<Record<string, JsonPart>> = {
  status: inQuery('status', {
    schema: { type: 'string', enum: ['published', 'draft'], default: 'published' },
    description: 'The version to return: published or draft',
    example: 'draft',
  }),
  publicationFilter: inQuery('publicationFilter', {
    schema: { type: 'string', enum: publicationFilters },
    description: 'Selects entries by their draft and published versions',
    example: 'has-published-version',
  }),
}
