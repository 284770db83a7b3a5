import { type Database, isDrift, remember } from '../database'
import { type Stop, whileBusy } from '../load'
import type { Schema } from '../schema'
import { compareTables, type Facts, readFacts } from '../tables'
import { LoadError } from './errors'

/** How long the default locale and the columns of the tables are taken as known. */
const factsAge = 30_000

/** For how long what was read after a failure serves those that fail likewise. */
const renewalAge = 1000

/** What is known of the tables, and kept up with them. */
export interface KnownTables {
  /**
   * Reads with what is known; should a table or column not be there, once more with what is known by then. What is
   * still amiss is named for the log.
   */
  read<T>(stop: Stop, attempt: (facts: Facts) => Promise<T>): Promise<T>
}

export function knowTables(database: Database, schema: Schema): KnownTables {
  const known = (): (() => Promise<Facts>) => remember(() => readFacts(database), factsAge)
  let facts = known()
  let renewedAt = -Infinity

  const renew = (): Promise<Facts> => {
    const now = Date.now()
    if (now - renewedAt > renewalAge) {
      renewedAt = now
      facts = known()
    }
    return facts()
  }

  const compare = remember(async () => {
    const faults = await compareTables(database, schema)
    return faults.map(({ where, problem }) => `${where}: ${problem}`)
  }, renewalAge)

  return {
    read: async (stop, attempt) => {
      const reading = whileBusy(() => facts(), { patience: Infinity, stop })
      const before = await Promise.race([reading, stop.stopped])
      try {
        return await attempt(before)
      } catch (error) {
        if (!isDrift(error)) throw error
        const [after, differences] = await Promise.race([Promise.all([renew(), compare()]), stop.stopped])
        if (differences.length > 0 && after.shape === before.shape) throw new LoadError(error, differences)
        return await attempt(after).catch((again: unknown) => {
          throw isDrift(again) ? new LoadError(again, differences) : again
        })
      }
    },
  }
}
