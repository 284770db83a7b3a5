import type { FilledOptions } from '../config'
import { type ApiDocument, apiDocument, type ExamplesByUid } from '../describe'
import type { Schema } from '../schema'
import { areTagged } from './content'
import type { Rights } from './rights'
import type { Settings } from './settings'
import { type RoleTypes, takesTokens, typesShownTo } from './told-types'
import { version } from './version'

/** Where a document says that the router is mounted, and the examples that it shows. */
export interface DocumentForm {
  readonly url: string
  readonly examples?: ExamplesByUid
}

/** What is told of these types by the options that they are served with. */
export function documentOf({ types, options }: RoleTypes, schema: Schema, form: DocumentForm): ApiDocument {
  const server = { version, takesTokens: takesTokens(options.role), areTagged: areTagged(options) }
  return apiDocument(types, schema, { ...form, ...server, options })
}

/** What whoever asks may read. */
export function describeApi(
  settings: Settings,
  { grants, limits }: Pick<Rights, 'grants' | 'limits'>,
  form: DocumentForm,
): ApiDocument {
  const options: FilledOptions = { ...settings, pagination: limits.query.page }
  return documentOf({ types: typesShownTo(settings, grants), options }, settings.schema, form)
}
