import type { FilledOptions } from '../../lib/config'
import type { Schema } from '../../lib/schema'
import { type AnswerOptions, queriesOf, type ShownType } from '../../lib/describe'
import {
  areTagged,
  type CoreRights,
  type RoleTypes,
  type CoreSettings,
  servesIndex,
  takesTokens,
  typesShownTo,
  version,
} from '../../lib/http'
import { apiPaths } from './api-paths'
import { askedByNames, isAsking } from './asked-by-names'
import { entrySchemas } from './entry-schemas'
import type { JsonPart, ExamplesByUid } from './json-part'
import { schemaNames } from './schema-names'
import { sharedResponses, sharedSchemas } from './shared-responses'

/** Where a document says that the router is mounted, and the examples that it shows. */
interface DocumentForm {
  readonly url: string
  /** Whether the mount itself lists the types. */
  readonly hasIndex: boolean
  readonly examples?: ExamplesByUid
}

/** What is told of these types by the options that they are served with. */
export function documentOf({ types, options }: RoleTypes, schema: Schema, form: DocumentForm): ApiDocument {
  const server = { version, takesTokens: takesTokens(options.role), areTagged: areTagged(options) }
  return apiDocument(types, schema, { ...form, ...server, options })
}

/** A document of what the sender of a request may read. */
export function describeApi(
  settings: CoreSettings,
  { grants, limits }: Pick<CoreRights, 'grants' | 'limits'>,
  form: Omit<DocumentForm, 'hasIndex'>,
): ApiDocument {
  const hasIndex = servesIndex(settings.extensions)
  const options: RoleTypes['options'] = { ...settings, pagination: limits.query.page }
  return documentOf({ types: typesShownTo(settings, grants), options }, settings.schema, {
    ...form,
    hasIndex,
  })
}

export type ApiOptions = AnswerOptions & Pick<FilledOptions, 'pagination'>

/** What the document says of the server that it describes. */
export interface ApiServer {
  /** Where the router is mounted. */
  readonly url: string
  /** Whether it knows who asks by a token. */
  readonly takesTokens: boolean
  /** Whether answers have tags. */
  readonly areTagged: boolean
  /** Whether the mount itself lists the types. */
  readonly hasIndex: boolean
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

/** Schemas that are of no type. */
const ownNames = (): Set<string> => new Set([...Object.keys(sharedSchemas), 'LinkPath'])

const tokens = { token: { type: 'http', scheme: 'bearer' } }

/** The options that a document describes. */
export interface DocumentMaking extends ApiServer {
  readonly options: ApiOptions
  readonly examples?: ExamplesByUid
}

const none: ExamplesByUid = new Map()

/** What may be asked of these types, and what is answered. */
export function apiDocument(types: readonly ShownType[], schema: Schema, about: DocumentMaking): ApiDocument {
  const { options, url, hasIndex, takesTokens, areTagged, version, examples = none } = about
  const names = schemaNames(types, ownNames())
  const asked = askedByNames({ types, names, options, queriesOf: queriesOf(schema, options) })
  const drafts = types.some(({ hasDrafts }) => hasDrafts)
  const shown = entrySchemas(types, {
    ...{ options, names, drafts },
    counts: hostAsks(options, 'count'),
    pages: hostAsks(options, 'pagination'),
  })
  const asking = types.filter(isAsking)
  return {
    openapi: '3.1.0',
    info: { title: 'Content', version },
    servers: [{ url }],
    // Whoever says nothing of himself is answered as well.
    security: takesTokens ? [{}, { token: [] }] : [],
    tags: asking.map(({ model: { uid } }) => ({ name: names.of(uid), description: uid })),
    paths: apiPaths(asking, { names, asked, examples, areTagged, hasIndex }),
    components: {
      schemas: { ...sharedSchemas, ...asked.schemas, ...shown },
      parameters: asked.parameters,
      responses: sharedResponses,
      ...(takesTokens ? { securitySchemes: tokens } : {}),
    },
  }
}
