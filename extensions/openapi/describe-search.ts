import type { ReadingDescription, ShownType } from '../../lib/describe'
import { type JsonPart, listOf, objectOf, refTo } from './json-part'
import { inQuery } from './page-parameters'
import type { SchemaNames } from './schema-names'
import { inJson, responsesOf } from './shared-responses'

const text: JsonPart = { type: 'string' }
const whole: JsonPart = { type: 'integer' }

const byName = (value: JsonPart): JsonPart => ({ type: 'object', additionalProperties: value })

const isRanked = ({ ranked }: ShownType): boolean => ranked.length > 0

/** Describes the parameters of lists with a ranked search, and `meta.search`. */
export const describeSearch = (type: ShownType): ReadingDescription['list'] =>
  isRanked(type)
    ? {
        parameters: [
          {
            name: 'highlight',
            description:
              'With `_q`: the attributes whose found words `meta.search.highlights` marks, by the `id` of the entry',
            schema: listOf({ ...text, enum: type.ranked }),
          },
          {
            name: 'ranks',
            description: 'With `_q`: adds the points of each entry to `meta.search.ranks`, by its `id`',
            schema: { enum: [true] },
          },
        ],
        meta: {
          search: objectOf(
            { ignored: listOf(text), ranks: byName(whole), highlights: byName(byName(text)) },
            ['ignored'],
          ),
        },
      }
    : undefined

/** The name of a type in the parameter `types`. */
const nameOf = ({ model: { uid, singularName } }: ShownType): string =>
  uid.startsWith('api::') ? singularName : uid

/** Describes `/search`, if the role can search a type. */
export function searchPath(all: readonly ShownType[], names: SchemaNames): JsonPart {
  const types = all.filter(isRanked)
  if (types.length === 0) return {}
  const shared = ['after', 'fallback', ...(types.some(({ hasDrafts }) => hasDrafts) ? ['status'] : [])]
  const entries = types.map((type) =>
    objectOf({
      type: { ...text, const: nameOf(type) },
      documentId: text,
      locale: { type: ['string', 'null'] },
      entry: refTo('schemas', names.of(type.model.uid)),
    }),
  )
  const pagination = objectOf({
    pageSize: whole,
    total: whole,
    hasNextPage: { type: 'boolean' },
    endCursor: { type: ['string', 'null'] },
  })
  const get = {
    operationId: 'search',
    summary: 'A page of the entries of several types that a search finds, with the best matches first',
    parameters: [
      {
        ...inQuery('q', { schema: text, description: 'The words and phrases to search for', example: 'a' }),
        required: true,
      },
      {
        ...inQuery('types', {
          schema: listOf({ ...text, enum: types.map(nameOf) }),
          description: 'The types to search, separated by commas. The default is all types.',
        }),
        explode: false,
      },
      inQuery('pagination[pageSize]', {
        schema: { ...whole, minimum: 1, default: 25 },
        description: 'The number of entries on the page',
      }),
      inQuery('locale', { schema: text, description: 'The locale', example: 'en' }),
      ...shared.map((name) => refTo('parameters', name)),
    ],
    responses: responsesOf(
      {
        description: 'The page',
        content: inJson(objectOf({ data: listOf({ anyOf: entries }), meta: objectOf({ pagination }) })),
      },
      { areTagged: false },
    ),
  }
  return { '/search': { get } }
}
