import { type Database, isDrift } from '../database'
import { type AskState, remember, type Remembered } from '../freshness'
import { readAgain, type Deadline, whileBusy } from '../read'
import { localeUid, type Model } from '../schema'
import { compareTables, type Facts, readDefaultLocale, readFacts, settingsTable } from '../tables'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** How long the columns of the tables are taken as known and, where no state is asked for, the default locale. */
const factsAge = 30_000

/** For how long what was read after a failure serves those that fail likewise. */
const renewalAge = 1000

interface TablesReader {
  readonly stop: Deadline
  readonly state: AskState
  readonly model: Model
}

interface RenewedFacts {
  readonly facts: Facts
  /** Names for the log what is still amiss. */
  readonly raise: (error: unknown) => never
}

/** The tables as they are known. They are read again after a while, and when one is missing. */
export interface KnownTables {
  readonly database: Database
  /** The default locale, if the options name one. */
  readonly given: string | undefined
  /** The type whose entries are the locales. */
  readonly locales: Model | undefined
  facts: Remembered<Facts>
  renewedAt: number
  readonly defaultLocale: Remembered<string | null>
  /** Differences between the tables and the definitions, for the log. */
  readonly differences: Remembered<readonly string[]>
}

export function knowTables(
  database: Database,
  { schema, needs, defaultLocale: given }: Pick<Settings, 'schema' | 'needs' | 'defaultLocale'>,
): KnownTables {
  const tables: KnownTables = {
    database,
    given,
    locales: [...schema.models.values()].find(({ uid }) => uid === localeUid),
    facts: rememberFacts(database),
    renewedAt: -Infinity,
    defaultLocale: remember(
      async () => readDefaultLocale(database, (await tables.facts()).tables),
      factsAge,
      new Set([settingsTable]),
    ),
    differences: remember(async () => {
      const faults = await compareTables(database, schema, needs)
      return faults.map(({ where, problem }) => `${where}: ${problem}`)
    }, renewalAge),
  }
  return tables
}

const rememberFacts = (database: Database): Remembered<Facts> => remember(() => readFacts(database), factsAge)

export function knownFacts(tables: KnownTables, reader: TablesReader): Promise<Facts> {
  const { stop } = reader
  const read = (): Promise<Facts> => factsFor(tables, reader, tables.facts)
  const reading = whileBusy(() => readAgain(tables.database, read), { patience: Infinity, stop })
  return Promise.race([reading, stop.stopped])
}

/** Reads the tables anew after an error that says they have changed; raises any other, and one that this cannot mend. */
export async function factsAfterDrift(
  tables: KnownTables,
  reader: TablesReader,
  { error, before }: { readonly error: unknown; readonly before: Facts },
): Promise<RenewedFacts> {
  if (!isDrift(error)) throw error
  const reading = Promise.all([factsFor(tables, reader, () => renewFacts(tables)), tables.differences()])
  const [after, differences] = await Promise.race([reading, reader.stop.stopped])
  if (differences.length > 0 && after.shape === before.shape) throw new LoadError(error, differences)
  const raise = (again: unknown): never => {
    throw isDrift(again) ? new LoadError(again, differences) : again
  }
  return { facts: after, raise }
}

/** The default locale is the one of the database's settings, where no other is given. */
async function factsFor(
  { given, locales, defaultLocale }: KnownTables,
  { state, model }: TablesReader,
  read: () => Promise<Facts>,
): Promise<Facts> {
  const isAbout = given === undefined && (model.localized || model === locales)
  if (!isAbout) return read()
  const [now, latest] = await Promise.all([state(), read()])
  return { ...latest, defaultLocale: await defaultLocale(now) }
}

function renewFacts(tables: KnownTables): Promise<Facts> {
  const now = performance.now()
  if (now - tables.renewedAt > renewalAge) {
    tables.renewedAt = now
    tables.facts = rememberFacts(tables.database)
  }
  return tables.facts()
}
