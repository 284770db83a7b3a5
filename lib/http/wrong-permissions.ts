import type { PermissionsOption } from '../config'
import type { Fault } from '../errors'
import { didYouMean, modelNamed, type Schema } from '../schema'

const actions = ['find', 'findOne', 'drafts', 'queries']

/** Neither a list nor anything else that is made of more than its members, as promises and maps are. */
export function isPlainTable(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return !(Symbol.iterator in value) && !('then' in value && typeof value.then === 'function')
}

export function faultsOfType(where: string, name: string, schema: Schema): Fault[] {
  if (modelNamed(schema, name) !== undefined) return []
  const names = [...schema.models.values()].flatMap(({ singularName, uid }) => [singularName, uid])
  return [{ where, problem: `there is no type ${name}`, remedy: didYouMean(name, names) }]
}

const named = 'named'

function wrongList(where: string, action: string, listed: unknown, schema: Schema): Fault[] {
  if (!actions.includes(action))
    return [{ where, problem: 'there is no such action', remedy: didYouMean(action, actions) }]
  if (action === 'queries')
    return listed === named
      ? []
      : [{ where, problem: `is not '${named}'`, remedy: `use '${named}' or leave it out` }]
  if (listed === '*') return []
  if (!Array.isArray(listed)) {
    return [{ where, problem: 'is neither a list of types nor *', remedy: `use ['article'] or '*'` }]
  }
  return listed.flatMap((name: unknown) =>
    typeof name === 'string'
      ? faultsOfType(where, name, schema)
      : [{ where, problem: 'holds something that is no name of a type' }],
  )
}

function wrongGrant(role: string, grant: unknown, schema: Schema): Fault[] {
  const where = `permissions.${role}`
  if (!isPlainTable(grant)) return [{ where, problem: 'is no grant', remedy: `use { find: ['article'] }` }]
  return Object.entries(grant).flatMap(([action, listed]) =>
    wrongList(`${where}.${action}`, action, listed, schema),
  )
}

const isAge = (value: unknown): boolean => typeof value === 'number' && value >= 0

/** What is granted is what is written, and nothing that has to be guessed. */
export function wrongPermissions(permissions: PermissionsOption | undefined, schema: Schema): Fault[] {
  const given: unknown = permissions
  if (given === undefined || typeof given === 'function') return []
  if (!isPlainTable(given)) {
    const remedy = 'use a table by role, a function, or fromDatabase()'
    return [{ where: 'permissions', problem: 'is neither a table nor a function', remedy }]
  }
  if (given['source'] === 'database') {
    return isAge(given['maxAge'])
      ? []
      : [{ where: 'permissions.maxAge', problem: 'is not a number of milliseconds' }]
  }
  return Object.entries(given).flatMap(([role, grant]) => wrongGrant(role, grant, schema))
}
