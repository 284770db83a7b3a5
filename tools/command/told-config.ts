import { type PermissionTable, readTypes } from '../../lib/config'
import { ConfigError } from '../../lib/errors'
import { type Audience, type RoleTypes, toldTypes, wrongPermissions } from '../../lib/http'
import type { Schema } from '../../lib/schema'
import { type CheckedConfig, grantsIn } from './checked-config'

/** What a role that is not there may read is nothing, which nobody wants to have written. */
function roleIn(table: PermissionTable, role: string): string {
  const names = Object.keys(table)
  if (names.includes(role)) return role
  const remedy = names.length === 0 ? 'grant it something' : `there are ${names.join(', ')}`
  throw new ConfigError([{ where: 'permissions', problem: `no role is called ${role}`, remedy }])
}

function audienceOf(config: CheckedConfig, role: string | null): Audience {
  if (role === null) return 'all'
  const table = grantsIn(config)
  if (table !== null) return { role: roleIn(table, role), table }
  const problem = 'what a function or the database grants is asked at each request, and no table holds it'
  throw new ConfigError([{ where: 'permissions', problem, remedy: 'ask without --role' }])
}

/** What a role may ask by what a config says, or where there is none, all that is not private. */
export function toldByConfig(
  config: CheckedConfig,
  role: string | null,
): RoleTypes & { readonly schema: Schema } {
  const schema = readTypes(config)
  const faults = [...wrongPermissions(config, schema)]
  if (faults.length > 0) throw new ConfigError(faults)
  return { schema, ...toldTypes(config, schema, audienceOf(config, role)) }
}
