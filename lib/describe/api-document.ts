import type { FilledOptions } from '../config'
import type { Schema } from '../schema'
import type { AnswerOptions } from './answer-options'
import { apiPaths } from './api-paths'
import { askedByNames } from './asked-by-names'
import { type AskedForms, type AskedMaking, isAsking } from './asked-forms'
import { askedInOneText } from './asked-in-one-text'
import { conditionNames } from './condition-schemas'
import { entrySchemas } from './entry-schemas'
import type { JsonPart } from './json-part'
import { queriesOf } from './queries-of'
import { schemaNames } from './schema-names'
import { sharedResponses, sharedSchemas } from './shared-responses'
import type { ShownType } from './shown-types'
import type { ExamplesByUid } from './type-examples'

export type ApiOptions = AnswerOptions & Pick<FilledOptions, 'pagination' | 'index'>

/** 3.1 names what every generator can send, 3.2 all that may be asked. */
export const openApiVersions = ['3.1', '3.2'] as const

export type OpenApiVersion = (typeof openApiVersions)[number]

/** What the document says of the server that it describes. */
export interface ApiServer {
  /** Where the router is mounted. */
  readonly url: string
  /** Whether it knows who asks by a token. */
  readonly takesTokens: boolean
  /** Whether answers have tags. */
  readonly areTagged: boolean
  /** Of the package. */
  readonly version: string
}

export type ApiDocument = JsonPart

/** Whether a query of the host's asks for this anywhere. */
function isAskedFor(query: unknown, name: string): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(([key, of]) => key === name || isAskedFor(of, name))
}

/** What of links the host's own queries ask for. */
function hostAsks({ queries, defaults }: AnswerOptions, name: string): boolean {
  const populates = [...Object.values(queries).map(({ query }) => query), ...Object.values(defaults)]
  return populates.some(({ populate }) => isAskedFor(populate, name))
}

interface Stated {
  readonly openapi: string
  readonly asked: (making: AskedMaking) => AskedForms
  /** Whether a client may ask for a count in place of a list, and for a page of it. */
  readonly mayAskBelow: boolean
}

const stated: Readonly<Record<OpenApiVersion, Stated>> = {
  '3.1': { openapi: '3.1.0', asked: askedByNames, mayAskBelow: false },
  '3.2': { openapi: '3.2.0', asked: askedInOneText, mayAskBelow: true },
}

/** What schemas that are of no type are called. */
const ownNames = (types: readonly ShownType[]): Set<string> =>
  new Set([...Object.keys(sharedSchemas), 'LinkPath', 'Pagination', ...conditionNames(types)])

const tokens = { token: { type: 'http', scheme: 'bearer' } }

/** In which words a document is written, and of which options it tells. */
export interface DocumentMaking extends ApiServer {
  readonly options: ApiOptions
  readonly openapi: OpenApiVersion
  readonly examples?: ExamplesByUid
}

const none: ExamplesByUid = new Map()

/** What may be asked of these types, and what is answered. */
export function apiDocument(types: readonly ShownType[], schema: Schema, about: DocumentMaking): ApiDocument {
  const { options, url, takesTokens, areTagged, version, examples = none } = about
  const { openapi, asked: askedOf, mayAskBelow } = stated[about.openapi]
  const names = schemaNames(types, ownNames(types))
  const asked = askedOf({ types, names, options, queriesOf: queriesOf(schema, options) })
  const drafts = types.some(({ hasDrafts }) => hasDrafts)
  const shown = entrySchemas(types, {
    ...{ options, names, drafts },
    counts: mayAskBelow || hostAsks(options, 'count'),
    pages: mayAskBelow || hostAsks(options, 'pagination'),
  })
  const asking = types.filter(isAsking)
  return {
    openapi,
    info: { title: 'Content', version },
    servers: [{ url }],
    // Whoever says nothing of himself is answered as well.
    security: takesTokens ? [{}, { token: [] }] : [],
    tags: asking.map(({ model: { uid } }) => ({ name: names.of(uid), description: uid })),
    paths: apiPaths(asking, { names, asked, examples, areTagged, hasIndex: options.index }),
    components: {
      schemas: { ...sharedSchemas, ...asked.schemas, ...shown },
      parameters: asked.parameters,
      responses: sharedResponses,
      ...(takesTokens ? { securitySchemes: tokens } : {}),
    },
  }
}
