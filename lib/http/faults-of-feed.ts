import type { CoreConfig } from '../config'
import { clientGiven } from '../database'
import type { Fault } from '../errors'

/** Who would wait for ever to be told what changes. */
function faultsOfUntold({ onChange, changes = false }: CoreConfig, why: Omit<Fault, 'where'>): Fault[] {
  const needing = [...(onChange === undefined ? [] : ['onChange']), ...(changes === false ? [] : ['changes'])]
  return needing.map((where) => ({ where, ...why }))
}

/** Only PostgreSQL tells what changed. */
export function faultsOfFeed(config: CoreConfig & { readonly database?: unknown }): Fault[] {
  const { cache, database } = config
  if (typeof cache !== 'object' || (cache.feed ?? false) === false)
    return faultsOfUntold(config, {
      problem: 'nobody tells what changes',
      remedy: 'use cache: { feed: true }',
    })
  if (clientGiven(database) === 'pg') return []
  return [{ where: 'cache.feed', problem: 'is supported on PostgreSQL only', remedy: 'leave it out' }]
}
