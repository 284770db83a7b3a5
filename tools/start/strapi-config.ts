import type { ContentRouterConfig } from '../../lib/http'
import { strapiProject } from '../../extensions/strapi'
import { noTypesYet } from './no-types-yet'
import { openTraceless } from './open-traceless'
import { hasTypes, type StrapiFolder } from './strapi-folder'

/** What a Strapi project says of itself, for whoever serves nothing of it. */
export interface StrapiConfig {
  readonly config: ContentRouterConfig
  readonly close: () => Promise<void>
}

/** Its database is opened as for a site: by the driver of the project, and without a trace. */
export function strapiConfig({ root }: StrapiFolder, asksDatabase: boolean): StrapiConfig {
  if (!hasTypes(root)) throw noTypesYet()
  // Where it is may be told by nothing but the project's own code, and is then not asked for.
  if (!asksDatabase)
    return { config: strapiProject(root, { database: {} }).options, close: () => Promise.resolve() }
  const { options } = strapiProject(root)
  const { option, close } = openTraceless(options.database, root, true)
  return { config: { ...options, database: option }, close }
}
