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
import type { Schema } from '../../lib/schema'
import { type ApiDocument, apiDocument } from './api-document'
import type { ExamplesByUid } from './type-examples'

/** Where a document says that the router is mounted, and the examples that it shows. */
export interface DocumentForm {
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
