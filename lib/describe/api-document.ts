import type { FilledOptions, NamedQuery } from '../config'
import { modelNamed, type Schema } from '../schema'
import { apiPaths, type PathMaking, sharedFilterKey } from './api-paths'
import type { AnswerOptions } from './answer-options'
import { entrySchemas } from './entry-schemas'
import { areAllTold, filterParameters } from './filter-parameters'
import type { JsonPart } from './json-part'
import { draftParameters, entryParameters, pageParameters, searchParameter } from './page-parameters'
import { linkPath, shapeParameters } from './shape-parameters'
import { schemaNames } from './schema-names'
import { sharedResponses, sharedSchemas } from './shared-responses'
import type { ShownType } from './shown-types'

export type ApiOptions = AnswerOptions & Pick<FilledOptions, 'pagination'>

/** What the document says of the server that it describes. */
export interface ApiServer {
  /** Where the router is mounted. */
  readonly url: string
  /** Whether it knows who asks by a token. */
  readonly takesTokens: boolean
  /** Of the package. */
  readonly version: string
}

export type ApiDocument = JsonPart

/** Whether a query of the host's asks for this anywhere. */
function isAskedFor(query: unknown, name: string): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(([key, of]) => key === name || isAskedFor(of, name))
}

/** What of links is asked for without being a parameter. */
function asked({ queries, defaults }: AnswerOptions, name: string): boolean {
  const populates = [...Object.values(queries).map(({ query }) => query), ...Object.values(defaults)]
  return populates.some(({ populate }) => isAskedFor(populate, name))
}

function queriesOf(schema: Schema, { queries }: AnswerOptions): PathMaking['queriesOf'] {
  const all = Object.entries(queries)
  const isOf = (type: ShownType, { type: name }: NamedQuery): boolean =>
    modelNamed(schema, name) === type.model
  return (type) => Object.fromEntries(all.filter(([, query]) => isOf(type, query)))
}

function ownParameters(types: readonly ShownType[], { names, filters }: PathMaking): JsonPart {
  const asking = types.filter(({ reads }) => reads.length > 0)
  const shapes = asking.flatMap((type) =>
    Object.entries(shapeParameters(type)).map(
      ([key, parameter]) => [`${names.of(type.model.uid)}.${key}`, parameter] as const,
    ),
  )
  const same = asking.flatMap((type) =>
    filterParameters(type, filters).flatMap((parameter) => {
      const key = sharedFilterKey(parameter)
      return key === null ? [] : [[key, parameter] as const]
    }),
  )
  return Object.fromEntries([...shapes, ...same])
}

const tokens = { token: { type: 'http', scheme: 'bearer' } }

/** OpenAPI 3.1: what may be asked of these types by parameters with names, and what is answered. */
export function apiDocument(
  types: readonly ShownType[],
  schema: Schema,
  about: ApiServer & { readonly options: ApiOptions },
): ApiDocument {
  const { options, url, takesTokens, version } = about
  const names = schemaNames(types, new Set([...Object.keys(sharedSchemas), 'LinkPath']))
  const pages = pageParameters(options.pagination)
  const matching = options.textMatching
  const filters = { types, matching, all: areAllTold(types, matching) }
  const making = { names, filters, queriesOf: queriesOf(schema, options), pages: Object.keys(pages) }
  const drafts = types.some(({ hasDrafts }) => hasDrafts)
  const forms = {
    ...{ options, names, drafts },
    counts: asked(options, 'count'),
    pages: asked(options, 'pagination'),
  }
  const common = { ...pages, ...entryParameters, search: searchParameter, ...(drafts ? draftParameters : {}) }
  const asking = types.filter(({ reads }) => reads.length > 0)
  return {
    openapi: '3.1.0',
    info: { title: 'Content', version },
    servers: [{ url }],
    // Whoever says nothing of himself is answered as well.
    security: takesTokens ? [{}, { token: [] }] : [],
    tags: asking.map(({ model: { uid } }) => ({ name: names.of(uid), description: uid })),
    paths: apiPaths(asking, making),
    components: {
      schemas: { ...sharedSchemas, LinkPath: linkPath, ...entrySchemas(types, forms) },
      parameters: { ...common, ...ownParameters(types, making) },
      responses: sharedResponses,
      ...(takesTokens ? { securitySchemes: tokens } : {}),
    },
  }
}
