import type { Model, Schema } from '../../lib/schema'

/** A request for a list. */
export interface LoggedList {
  /** The path and the query. */
  readonly url: string
  readonly model: Model
  /** The query alone. */
  readonly text: string
}

/** `/api/articles?sort=title`, with any prefix. Null: no list has the path. */
export function listRequest({ models }: Schema, url: string): LoggedList | null {
  const [path = '', ...query] = url.split('?')
  const model = [...models.values()].find(({ route }) => route !== null && `/${path}`.endsWith(`/${route}`))
  return model?.kind === 'collectionType' ? { url, model, text: query.join('?') } : null
}

/** `api::article.article?filters=author.name&sort=title` of an event has no values. Null can be compared with each type. */
function urlOfShape({ models }: Schema, shape: string): string {
  const [, uid, filters = '', sort] = /^([^?]+)\?(?:filters=([^&]*))?&?(?:sort=([^&]*))?/.exec(shape) ?? []
  const route = [...models.values()].find((model) => model.uid === uid)?.route ?? ''
  const names = filters.split(',').filter((name) => name !== '' && name !== 'locale')
  const conditions = names.map((name) => `filters[${name.replaceAll('.', '][')}][$null]=true`)
  return `${route}?${[...conditions, ...(sort === undefined ? [] : [`sort=${sort}`])].join('&')}`
}

/** The shape, or the first URL, of each line in a log of any format. */
export const requestsInLog = (schema: Schema, log: string): readonly LoggedList[] =>
  log.split('\n').flatMap((line) => {
    const [shape] = /[\w-]+::[\w.-]+\?[^\s"\\]+/.exec(line) ?? []
    const urls = shape === undefined ? line.match(/\/[^\s"\\]+/g) : [urlOfShape(schema, shape)]
    return (urls ?? []).flatMap((url) => listRequest(schema, url) ?? []).slice(0, 1)
  })
