import type { Extension } from '../../lib/http'
import { documentHandler } from './document-handler'
import { indexHandler } from './index-handler'

export type { ApiDocument } from './api-document'
export { describe, type DescribeOptions } from './describe'
export { documentOf } from './describe-api'

export interface OpenApiOptions {
  /** Where the document is served, below the mount. */
  readonly path?: `/${string}`
}

/** Serves an OpenAPI document of what the asking role may read, and an index of types at the mount itself. */
export const openapi = ({ path = '/openapi.json' }: OpenApiOptions = {}): Extension => ({
  name: 'openapi',
  routes: [
    { path: '/', handler: indexHandler },
    { path, handler: documentHandler },
  ],
})
