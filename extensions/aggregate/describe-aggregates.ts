import type { DescribedParameter, JsonSchema, ReadingDescription, ShownType } from '../../lib/describe'
import { dateParts } from './aggregate-query'
import { datedTypes } from './first-day-of'
import { numericTypes } from './plan-aggregates'

const whole: JsonSchema = { type: 'integer' }
const text: JsonSchema = { type: 'string' }
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const objectOf = (properties: JsonSchema, required = Object.keys(properties)): JsonSchema => ({
  ...{ type: 'object', properties, required },
})

/** Names, or paths through relations, which no enum lists. */
const namesOr = (names: readonly string[]): JsonSchema =>
  listOf({ anyOf: [...(names.length === 0 ? [] : [{ ...text, enum: names }]), { ...text, pattern: '\\.' }] })

/** A group or the result of a function. Large integers are strings. */
const value: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }
const valuesByName = (schema: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: schema })

const row = objectOf(
  {
    group: valuesByName(value),
    count: whole,
    countDistinct: valuesByName(whole),
    sum: valuesByName({ type: ['string', 'number', 'null'] }),
    avg: valuesByName({ type: ['number', 'null'] }),
    min: valuesByName(value),
    max: valuesByName(value),
  },
  ['group'],
)

const facets = valuesByName(listOf(objectOf({ value, count: whole })))

const having = (place: string, schema: JsonSchema): readonly DescribedParameter[] =>
  ['$gt', '$gte', '$lt', '$lte'].map((operator) => {
    return { name: `having${place}[${operator}]`, description: 'Selects groups by a result', schema }
  })

/** Describes `GET /articles/aggregate`, and `facets` of lists. */
export function describeAggregates({ model, scalars, links }: ShownType): ReadingDescription {
  const columns = [...scalars.values()].map(({ column }) => column).filter(({ type }) => type !== 'json')
  const namesOf = (isFit: (column: (typeof columns)[number]) => boolean): readonly string[] =>
    columns.filter(isFit).map(({ name }) => name)
  const dated = namesOf(({ type }) => datedTypes.includes(type))
  const numbers = namesOf(({ type }) => numericTypes.includes(type))
  const ordered = namesOf(({ type }) => type !== 'boolean')
  const relations = [...links]
    .filter(([, { field }]) => field.role === 'relation' && field.targets.length === 1)
    .map(([name]) => name)
  const names = [...namesOf(() => true), ...relations]
  const groups = [...names, ...dated.flatMap((name) => dateParts.map((part) => `${name}:${part}`))]
  const taking = (name: string, own: readonly string[], description: string): DescribedParameter => ({
    ...{ name, description, schema: namesOr(own) },
  })
  const count = { name: 'aggregate[count]', description: 'Counts the entries', schema: { enum: [true] } }
  return {
    path: {
      summary: `Groups of ${model.pluralName}, with counts, sums and other functions`,
      rejects: ['fields', 'populate', 'sort', 'pagination[after]', 'pagination[before]'],
      parameters: [
        taking('groupBy', groups, 'Attributes to group by; `:month`: a part of a date'),
        count,
        taking('aggregate[countDistinct]', names, 'Counts the different values'),
        taking('aggregate[sum]', numbers, 'Adds the values'),
        taking('aggregate[avg]', numbers, 'Computes the average'),
        taking('aggregate[min]', ordered, 'Returns the smallest value'),
        taking('aggregate[max]', ordered, 'Returns the largest value'),
        ...having('[count]', whole),
        ...numbers.flatMap((name) => having(`[sum][${name}]`, { type: 'number' })),
        { name: 'sort', description: 'Groups and functions: `sum.views:desc`', schema: listOf(text) },
      ],
      content: (meta) => ({ 'application/json': { schema: objectOf({ data: listOf(row), meta }) } }),
    },
    list: {
      parameters: [taking('facets', groups, 'Attributes whose frequent values `meta.facets` counts')],
      meta: { facets },
    },
  }
}
