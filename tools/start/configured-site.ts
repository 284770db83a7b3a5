import { basename } from 'node:path'
import type { ContentTypesConfig } from '../../lib/config'
import type { ContentRouterConfig } from '../../lib/http'
import { openTraceless } from './open-traceless'
import type { Site } from './site'
import { uploadsOf } from './uploads'

/** What a config file or flags say, in which paths are seen from the folder. */
export function configuredSite(
  config: ContentTypesConfig & Partial<ContentRouterConfig>,
  folder: string,
): Site {
  const { database, ...others } = config
  return {
    title: `The content-router config of ${basename(folder)}`,
    name: basename(folder),
    config: others,
    isOfStrapi: false,
    opened: openTraceless(database, folder, false),
    prefix: '/api',
    uploads: uploadsOf(folder),
    notes: [],
    examples: [],
  }
}
