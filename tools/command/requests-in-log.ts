import type { Model, Schema } from '../../lib/schema'

/** A request for a list. */
export interface LoggedList {
  /** The path and the query, or the shape. */
  readonly url: string
  /** A shape has no operators. */
  readonly isShape: boolean
  readonly model: Model
  /** The query alone. */
  readonly text: string
}

/** `/api/articles?sort=title`, with any prefix. Null: no list has the path. */
export function listRequest({ models }: Schema, url: string): LoggedList | null {
  const [path = '', ...query] = url.split('?')
  const model = [...models.values()].find(({ route }) => route !== null && `/${path}`.endsWith(`/${route}`))
  return model?.kind === 'collectionType' ? { url, isShape: false, model, text: query.join('?') } : null
}

/** Queries of one form differ only in values, and have the same plan. */
export const formOf = ({ model, text }: LoggedList): string =>
  `${model.uid}?${text.replace(/([^=&]*(?:filters|pagination|_q)[^=&]*)=[^&]*/g, (part, name: string) =>
    /null|withCount/i.test(name) ? part : name.replace(/%5B/gi, '[').replace(/%5D/gi, ']'),
  )}`

/**
 * `api::article.article?filters=author.name&sort=title` of an event has no values. Null can be compared with each type.
 * A filter on the sort key is a range more often than one value.
 */
function listOfShape(schema: Schema, shape: string): readonly LoggedList[] {
  const [, uid, filters = '', sort = ''] =
    /^([^?]+)\?(?:filters=([^&]*))?&?(?:sort=([^&]*))?/.exec(shape) ?? []
  const route = [...schema.models.values()].find((model) => model.uid === uid)?.route ?? ''
  const sorted = new Set(sort.split(',').map((key) => key.replace(/:desc$/, '')))
  const names = filters.split(',').filter((name) => !['', 'locale'].includes(name) && !sorted.has(name))
  const conditions = names.map((name) => `filters[${name.replaceAll('.', '][')}][$null]=true`)
  const list = listRequest(
    schema,
    `${route}?${[...conditions, ...(sort === '' ? [] : [`sort=${sort}`])].join('&')}`,
  )
  return list === null ? [] : [{ ...list, url: shape, isShape: true }]
}

/** The shape, or the first URL, of each line in a log of any format. */
export const requestsInLog = (schema: Schema, log: string): readonly LoggedList[] =>
  log.split('\n').flatMap((line) => {
    const [shape] = /[\w-]+::[\w.-]+\?[^\s"\\]+/.exec(line) ?? []
    if (shape !== undefined) return listOfShape(schema, shape)
    const urls = line.match(/\/[^\s"\\]+/g) ?? []
    return urls.flatMap((url) => listRequest(schema, url) ?? []).slice(0, 1)
  })
