import { wholeConfigOf } from '../config'
import { ConfigError } from '../errors'
import { type Audience, type RoleTypes, toldTypes, wrongPermissions } from '../http'
import { readSchema, type Schema } from '../schema'
import { type CheckedConfig, grantsIn } from './checked-config'

function audienceOf(config: CheckedConfig, role: string | null): Audience {
  if (role === null) return 'all'
  const table = grantsIn(config)
  if (table !== null) return { role, table }
  const problem = 'what a function or the database grants is asked at each request, and no table holds it'
  throw new ConfigError([{ where: 'permissions', problem, remedy: 'ask without --role' }])
}

/** What a role may ask by what a config says, or where there is none, all that is not private. */
export function toldByConfig(
  given: CheckedConfig,
  role: string | null,
): RoleTypes & { readonly schema: Schema } {
  const config = wholeConfigOf(given)
  const schema = readSchema(config.contentTypes, undefined, config)
  const faults = [...wrongPermissions(config, schema)]
  if (faults.length > 0) throw new ConfigError(faults)
  return { schema, ...toldTypes(config, schema, audienceOf(given, role)) }
}
