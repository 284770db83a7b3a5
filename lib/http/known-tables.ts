import { type Database, isDrift } from '../database'
import { type AskState, remember } from '../freshness'
import { readAgain, type Stop, whileBusy } from '../load'
import { localeUid, type Model } from '../schema'
import { compareTables, type Facts, readDefaultLocale, readFacts, settingsTable } from '../tables'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** How long the columns of the tables are taken as known and, where no state is asked for, the default locale. */
const factsAge = 30_000

/** For how long what was read after a failure serves those that fail likewise. */
const renewalAge = 1000

interface TablesReader {
  readonly stop: Stop
  readonly state: AskState
  /** Whose entries are asked for. */
  readonly model: Model
}

/** What is known once a table or column was not there. */
interface RenewedFacts {
  readonly facts: Facts
  /** Names for the log what is still amiss. */
  readonly raise: (error: unknown) => never
}

/** What is known of the tables, and kept up with them. */
export interface KnownTables {
  readonly facts: (reader: TablesReader) => Promise<Facts>
  /** Reads the tables anew after an error that says they have changed; raises any other, and one that this cannot mend. */
  readonly afterDrift: (error: unknown, before: Facts, reader: TablesReader) => Promise<RenewedFacts>
}

export function knowTables(
  database: Database,
  { schema, needs, defaultLocale: given }: Pick<Settings, 'schema' | 'needs' | 'defaultLocale'>,
): KnownTables {
  const locales = [...schema.models.values()].find(({ uid }) => uid === localeUid)
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

  const locale = remember(
    async () => readDefaultLocale(database, (await facts()).tables),
    factsAge,
    new Set([settingsTable]),
  )
  const at = async ({ state, model }: TablesReader, known: () => Promise<Facts>): Promise<Facts> => {
    // The default locale is the one of the database's settings, where no other is given.
    const isAbout = given === undefined && (model.localized || model === locales)
    if (!isAbout) return known()
    const [now, latest] = await Promise.all([state(), known()])
    return { ...latest, defaultLocale: await locale(now) }
  }

  const compare = remember(async () => {
    const faults = await compareTables(database, schema, needs)
    return faults.map(({ where, problem }) => `${where}: ${problem}`)
  }, renewalAge)

  return {
    facts: (reader) => {
      const { stop } = reader
      const reading = whileBusy(() => readAgain(database, () => at(reader, facts)), {
        patience: Infinity,
        stop,
      })
      return Promise.race([reading, stop.stopped])
    },
    afterDrift: async (error, before, reader) => {
      if (!isDrift(error)) throw error
      const reading = Promise.all([at(reader, renew), compare()])
      const [after, differences] = await Promise.race([reading, reader.stop.stopped])
      if (differences.length > 0 && after.shape === before.shape) throw new LoadError(error, differences)
      const raise = (again: unknown): never => {
        throw isDrift(again) ? new LoadError(again, differences) : again
      }
      return { facts: after, raise }
    },
  }
}
