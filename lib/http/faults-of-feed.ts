import type { WholeConfig } from '../config'
import { clientGiven } from '../database'
import type { Fault } from '../errors'

/** Who would wait for ever to be told what changes. */
function faultsOfUntold({ onChange, changes = false }: WholeConfig, why: Omit<Fault, 'where'>): Fault[] {
  const needing = [...(onChange === undefined ? [] : ['onChange']), ...(changes === false ? [] : ['changes'])]
  return needing.map((where) => ({ where, ...why }))
}

/** Which databases tell what changed. That a MySQL is a MariaDB is known once it has been asked. */
export function faultsOfFeed(config: WholeConfig & { readonly database?: unknown }): Fault[] {
  const { cache, database } = config
  if (typeof cache !== 'object' || (cache.feed ?? false) === false)
    return faultsOfUntold(config, {
      problem: 'nobody tells what changes',
      remedy: 'use cache: { feed: true }',
    })
  const fault = (problem: string): Fault[] => [{ where: 'cache.feed', problem, remedy: 'leave it out' }]
  const client = clientGiven(database)
  if (client === 'pg') return []
  if (client !== 'mysql2') return fault('can be had of PostgreSQL and MySQL alone')
  const untold = faultsOfUntold(config, {
    problem: 'MySQL tells whether something changed, and not what, as PostgreSQL does',
    remedy: 'leave it out',
  })
  if (typeof cache.feed !== 'object') return untold
  return [...fault('follows no log on MySQL, and takes nothing but true'), ...untold]
}
