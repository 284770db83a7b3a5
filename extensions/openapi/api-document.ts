import { type FilledOptions, isRoleSource } from '../../lib/config'
import type { Schema } from '../../lib/schema'
import { type ResponseOptions, queriesOf, type ShownType } from '../../lib/describe'
import {
  areTagged,
  type CoreRights,
  type RoleTypes,
  type CoreSettings,
  servesIndex,
  typesShownTo,
  version,
} from '../../lib/http'
import { apiPaths } from './api-paths'
import { makeParameters, hasReads } from './parameters'
import { entrySchemas } from './entry-schemas'
import type { JsonPart, ExamplesByUid } from './json-part'
import { schemaNames } from './schema-names'
import { sharedResponses, sharedSchemas } from './shared-responses'

interface DocumentForm {
  readonly url: string
  /** True if the mount itself lists the types. */
  readonly hasIndex: boolean
  readonly examples?: ExamplesByUid
}

export function documentOf({ types, options }: RoleTypes, schema: Schema, form: DocumentForm): ApiDocument {
  const server = { version, takesTokens: isRoleSource(options.role), areTagged: areTagged(options) }
  return apiDocument(types, schema, { ...form, ...server, options })
}

/** The document of the types that the caller's role may read. */
export function describeApi(
  settings: CoreSettings,
  rights: Pick<CoreRights, 'grants' | 'limits' | 'readingGrants'>,
  form: Omit<DocumentForm, 'hasIndex'>,
): ApiDocument {
  const hasIndex = servesIndex(settings.extensions)
  const options: RoleTypes['options'] = { ...settings, pagination: rights.limits.query.page }
  return documentOf({ types: typesShownTo(settings, rights), options }, settings.schema, {
    ...form,
    hasIndex,
  })
}

export type ApiOptions = ResponseOptions & Pick<FilledOptions, 'pagination'>

export interface ApiServer {
  readonly url: string
  readonly takesTokens: boolean
  readonly areTagged: boolean
  readonly hasIndex: boolean
  readonly version: string
}

export type ApiDocument = JsonPart

/** True if the key occurs anywhere in a query of the host. */
function hasKey(query: unknown, name: string): boolean {
  if (typeof query !== 'object' || query === null) return false
  return Object.entries(query).some(([key, of]) => key === name || hasKey(of, name))
}

/** True if a named or default query of the host populates with this key. */
function hostPopulates({ queries, defaults }: ResponseOptions, name: string): boolean {
  const populates = [...Object.values(queries).map(({ query }) => query), ...Object.values(defaults)]
  return populates.some(({ populate }) => hasKey(populate, name))
}

const tokens = { token: { type: 'http', scheme: 'bearer' } }

export interface DocumentMaking extends ApiServer {
  readonly options: ApiOptions
  readonly examples?: ExamplesByUid
}

const none: ExamplesByUid = new Map()

export function apiDocument(types: readonly ShownType[], schema: Schema, about: DocumentMaking): ApiDocument {
  const { options, url, hasIndex, takesTokens, areTagged, version, examples = none } = about
  const names = schemaNames(types, new Set([...Object.keys(sharedSchemas), 'LinkPath']))
  const asked = makeParameters({ types, names, options, queriesOf: queriesOf(schema, options) })
  const drafts = types.some(({ hasDrafts }) => hasDrafts)
  const shown = entrySchemas(types, {
    ...{ options, names, drafts },
    counts: hostPopulates(options, 'count'),
    pages: hostPopulates(options, 'pagination'),
  })
  const asking = types.filter(hasReads)
  return {
    openapi: '3.1.0',
    info: { title: 'Content', version },
    servers: [{ url }],
    // Requests without a token get a response as well.
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
