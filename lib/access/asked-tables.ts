import type { ContentRouterConfig } from '../config'
import type { AskedTable } from '../tables'
import { tokenTables } from './api-tokens'
import { permissionTables } from './from-database'
import { userTables } from './user-tokens'

type Reader = Pick<AskedTable, 'by' | 'instead'>

const byPermissions: Reader = {
  by: 'fromDatabase()',
  instead: `write the permissions yourself: permissions: { public: { find: ['article'] } }`,
}

const byRole: Reader = {
  by: 'strapiAuth()',
  instead: 'say yourself who asks: role: (req) => …',
}

const readBy = (reader: Reader, tables: Readonly<Record<string, readonly string[]>>): readonly AskedTable[] =>
  Object.entries(tables).map(([table, columns]) => ({ table, columns, ...reader }))

/** The tables that tell who asks and what he may read, where the options leave that to Strapi. */
export function askedTables({
  role,
  permissions,
}: Partial<Pick<ContentRouterConfig, 'role' | 'permissions'>>): readonly AskedTable[] {
  const isInDatabase = typeof permissions === 'object' && permissions['source'] === 'database'
  return [
    ...(isInDatabase ? readBy(byPermissions, permissionTables) : []),
    ...(typeof role === 'object' ? readBy(byRole, { ...tokenTables, ...userTables }) : []),
  ]
}
