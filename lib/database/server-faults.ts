import type { Fault } from '../errors'
import { faultsOfDatabase } from './database-faults'

const where = 'database'

const clientOf = (option: unknown): unknown =>
  typeof option === 'object' && option !== null && 'client' in option ? option.client : undefined

function faultsOfOne(option: unknown, number: number): Fault[] {
  const here = `database[${String(number)}]`
  if (typeof option === 'function')
    return [{ where: here, problem: 'is a Knex instance', remedy: 'give its configuration' }]
  if (clientOf(option) === 'better-sqlite3')
    return [{ where: here, problem: 'is a file, and a list is of servers', remedy: 'name the file alone' }]
  return faultsOfDatabase(option).map((fault) => ({ ...fault, where: fault.where.replace(where, here) }))
}

/** What is wrong with the option of whoever reads: a database, or a list of servers that hold the same. */
export function faultsOfServers(option: unknown): Fault[] {
  if (!Array.isArray(option)) return faultsOfDatabase(option)
  const list: readonly unknown[] = option
  if (list.length === 0) return [{ where, problem: 'is an empty list', remedy: 'name the servers' }]
  const faults = list.flatMap(faultsOfOne)
  if (faults.length > 0 || new Set(list.map(clientOf)).size === 1) return faults
  return [{ where, problem: 'names servers of different clients', remedy: 'one list for one client' }]
}
