import { type Database, isDrift } from '../database'
import { type ReadState, remember, type Remembered } from '../freshness'
import { readAgain, type Deadline, whileBusy } from '../read'
import { localeUid, type Model, modelNamed } from '../schema'
import { compareTables, type Facts, readDefaultLocale, readFacts, settingsTable } from '../tables'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** Milliseconds for which columns are cached, and the default locale if the state of the database is unknown. */
const factsAge = 30_000

/** Milliseconds for which requests share the facts that were read after a failure. */
const renewalAge = 1000

export interface TablesReader {
  readonly stop: Deadline
  readonly state: ReadState
  readonly model: Model
}

/** The tables, read again after a while and when one is missing. */
export function makeTableFacts(database: Database, settings: Settings) {
  const { schema, needs, timeout, defaultLocale: givenLocale } = settings
  const patiently = <T>(read: () => Promise<T>): Promise<T> =>
    whileBusy(() => readAgain(database, read), { patience: timeout })
  const rememberFacts = (): Remembered<Facts> =>
    remember(() => patiently(() => readFacts(database, schema.schemas)), factsAge)
  let facts = rememberFacts()
  let renewedAt = -Infinity
  const readLocale = async (): Promise<string | null> => {
    const { tables } = await facts()
    return patiently(() => readDefaultLocale(database, tables))
  }
  const defaultLocale = remember(readLocale, factsAge, new Set([settingsTable]))
  const locales = modelNamed(schema, localeUid)
  /** Differences between the tables and the definitions, for the log. */
  const findDifferences = remember(async () => {
    const faults = await compareTables(database, schema, needs)
    return faults.map(({ where, problem }) => `${where}: ${problem}`)
  }, renewalAge)

  const factsFor = async ({ state, model }: TablesReader): Promise<Facts> => {
    if (givenLocale !== undefined || !(model.localized || model === locales)) return facts()
    const [now, latest] = await Promise.all([state(), facts()])
    return { ...latest, defaultLocale: await defaultLocale(now) }
  }

  return {
    current: (reader: TablesReader): Promise<Facts> => Promise.race([factsFor(reader), reader.stop.stopped]),
    /** Reads the tables anew after an error by changed tables. Throws other errors, and those that no read can fix. */
    afterDrift: async (
      reader: TablesReader,
      { error, before }: { readonly error: unknown; readonly before: Facts },
    ) => {
      if (!isDrift(error)) throw error
      const now = performance.now()
      if (now - renewedAt > renewalAge) {
        renewedAt = now
        facts = rememberFacts()
      }
      const reading = Promise.all([factsFor(reader), findDifferences()])
      const [after, differences] = await Promise.race([reading, reader.stop.stopped])
      if (differences.length > 0 && after.shape === before.shape) throw new LoadError(error, differences)
      /** Adds the remaining differences to an error, for the log. */
      const raise = (again: unknown): never => {
        throw isDrift(again) ? new LoadError(again, differences) : again
      }
      return { facts: after, raise }
    },
  }
}
