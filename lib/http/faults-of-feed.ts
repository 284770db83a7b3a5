import type { WholeConfig } from '../config'
import { clientGiven } from '../database'
import type { Fault } from '../errors'

/** Who would wait for ever to be told what changes. */
function faultsOfUntold({ onChange, changes = false }: WholeConfig): Fault[] {
  const needing = [...(onChange === undefined ? [] : ['onChange']), ...(changes === false ? [] : ['changes'])]
  const problem = 'nobody tells what changes'
  return needing.map((where) => ({ where, problem, remedy: 'use cache: { feed: true }' }))
}

/** Which databases tell what changed. */
export function faultsOfFeed(config: WholeConfig & { readonly database?: unknown }): Fault[] {
  const { cache, database } = config
  if (typeof cache !== 'object' || (cache.feed ?? false) === false) return faultsOfUntold(config)
  const fault = (problem: string): Fault[] => [{ where: 'cache.feed', problem, remedy: 'leave it out' }]
  if (Array.isArray(database)) return fault('follows one server, and the database is a list of them')
  return clientGiven(database) === 'pg' ? [] : fault('can be had of PostgreSQL alone')
}
