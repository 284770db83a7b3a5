import type { TableLayout } from '../lib/tables/table-dialect'
import { entryTable, linkTable } from './layout'

export const roles: readonly TableLayout[] = [
  entryTable('up_roles', { name: 'string', description: 'string', type: 'string' }),
  entryTable('up_permissions', { action: 'string' }),
  entryTable('up_users', {
    username: 'string',
    email: 'string',
    provider: 'string',
    password: 'string',
    reset_password_token: 'string',
    confirmation_token: 'string',
    confirmed: 'boolean',
    blocked: 'boolean',
  }),
  linkTable('up_permissions_role_lnk', {
    from: ['permission_id', 'up_permissions'],
    to: ['role_id', 'up_roles'],
    order: 'permission_ord',
  }),
  linkTable('up_users_role_lnk', {
    from: ['user_id', 'up_users'],
    to: ['role_id', 'up_roles'],
    order: 'user_ord',
  }),
]
