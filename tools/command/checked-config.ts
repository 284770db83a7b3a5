import type { ContentTypesConfig, PermissionTable } from '../../lib/config'
import type { ContentRouterConfig } from '../../lib/http'

/** A file may hold the whole configuration of a router, who asks and what he may read included. */
export type CheckedConfig = Omit<ContentTypesConfig, 'extensions'> & Partial<ContentRouterConfig>

const isTable = (permissions: CheckedConfig['permissions']): permissions is PermissionTable =>
  typeof permissions === 'object' && permissions['source'] !== 'database'

/** What roles may read, where that can be told before any of them asks. */
export const grantsIn = ({ permissions = {} }: CheckedConfig): PermissionTable | null =>
  isTable(permissions) ? permissions : null
