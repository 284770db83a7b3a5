import type { WholeConfig } from '../config'
import { clientGiven } from '../database'
import type { Fault } from '../errors'

/** Which databases tell what changed. */
export function faultsOfFeed({ cache, database }: WholeConfig & { readonly database?: unknown }): Fault[] {
  if (typeof cache !== 'object' || (cache.feed ?? false) === false) return []
  const fault = (problem: string): Fault[] => [{ where: 'cache.feed', problem, remedy: 'leave it out' }]
  if (Array.isArray(database)) return fault('follows one server, and the database is a list of them')
  return clientGiven(database) === 'pg' ? [] : fault('can be had of PostgreSQL alone')
}
