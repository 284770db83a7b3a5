import { type JsonPart, listOf, refTo } from './json-part'
import { inQuery } from './page-parameters'
import type { ShownType } from '../../lib/describe'

/** What no list of names holds: names of what links lead to. */
export const linkPath: JsonPart = {
  type: 'string',
  pattern: '^[^.,]+(\\.[^.,]+)+$',
  description: 'Names with dots between, through links',
}

const namesOr = (names: readonly string[]): JsonPart =>
  listOf({ anyOf: [{ type: 'string', enum: names }, refTo('schemas', 'LinkPath')] })

/** JSON has no order that all databases agree on. */
function sortable({ scalars }: ShownType): readonly string[] {
  return [...scalars].flatMap(([name, { column }]) => (column.type === 'json' ? [] : [name, `${name}:desc`]))
}

/** What an entry of a type is shown with. */
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

/** In which order, in lists. */
export function sortParameter(type: ShownType): JsonPart {
  const names = sortable(type)
  return inQuery('sort', {
    schema: namesOr(names),
    description: 'By which attributes; with `:desc` from the last to the first',
    example: names.slice(0, 1),
  })
}
