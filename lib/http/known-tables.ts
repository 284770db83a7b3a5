import { type Database, isDrift, type Now, remember } from '../database'
import { type Stop, whileBusy } from '../load'
import type { Model, Schema } from '../schema'
import { compareTables, type Facts, readDefaultLocale, readFacts } from '../tables'
import { LoadError } from './errors'

/** How long the columns of the tables are taken as known and, where no clock tells, the default locale. */
const factsAge = 30_000

/** For how long what was read after a failure serves those that fail likewise. */
const renewalAge = 1000

export interface TablesReader {
  readonly stop: Stop
  readonly now: Now
  /** Whose entries are asked for. */
  readonly model: Model
}

/** What is known of the tables, and kept up with them. */
export interface KnownTables {
  /**
   * Reads with what is known; should a table or column not be there, once more with what is known by then. What is
   * still amiss is named for the log.
   */
  read<T>(reader: TablesReader, attempt: (facts: Facts) => Promise<T>): Promise<T>
}

/** `heedsLocale`: the default locale is the one of the database's settings. */
export function knowTables(database: Database, schema: Schema, heedsLocale: boolean): KnownTables {
  const known = (): (() => Promise<Facts>) => remember(() => readFacts(database), factsAge)
  let facts = known()
  let renewedAt = -Infinity

  const renew = (): Promise<Facts> => {
    const now = performance.now()
    if (now - renewedAt > renewalAge) {
      renewedAt = now
      facts = known()
    }
    return facts()
  }

  const locale = remember(async () => readDefaultLocale(database, (await facts()).tables), factsAge)
  const at = async ({ now, model }: TablesReader, known: () => Promise<Facts>): Promise<Facts> => {
    const moment = heedsLocale && model.localized ? await now.ask() : undefined
    if (moment === undefined) return known()
    const [latest, defaultLocale] = await Promise.all([known(), locale(moment)])
    return { ...latest, defaultLocale }
  }

  const compare = remember(async () => {
    const faults = await compareTables(database, schema)
    return faults.map(({ where, problem }) => `${where}: ${problem}`)
  }, renewalAge)

  return {
    read: async (reader, attempt) => {
      const { stop } = reader
      const reading = whileBusy(() => at(reader, facts), { patience: Infinity, stop })
      const before = await Promise.race([reading, stop.stopped])
      try {
        return await attempt(before)
      } catch (error) {
        if (!isDrift(error)) throw error
        const [after, differences] = await Promise.race([
          Promise.all([at(reader, renew), compare()]),
          stop.stopped,
        ])
        if (differences.length > 0 && after.shape === before.shape) throw new LoadError(error, differences)
        return await attempt(after).catch((again: unknown) => {
          throw isDrift(again) ? new LoadError(again, differences) : again
        })
      }
    },
  }
}
