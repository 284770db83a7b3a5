import { type Database, isDrift } from '../database'
import { type ReadState, remember, type Remembered } from '../freshness'
import { readAgain, type Deadline, whileBusy } from '../read'
import { localeUid, type Model } from '../schema'
import { compareTables, type Facts, readDefaultLocale, readFacts, settingsTable } from '../tables'
import { LoadError } from './errors'
import type { Settings } from './settings'

/** Milliseconds for which the columns of the tables and, without a state of the database, the default locale are cached. */
const factsAge = 30_000

/** Milliseconds for which requests share the facts that were read after a failure. */
const renewalAge = 1000

interface TablesReader {
  readonly stop: Deadline
  readonly state: ReadState
  readonly model: Model
}

/** The tables, read again after a while and when one is missing. */
export interface TableFacts {
  readonly database: Database
  /** The option, which needs no read. */
  readonly givenLocale: string | undefined
  readonly schemas: readonly string[]
  facts: Remembered<Facts>
  renewedAt: number
  readonly defaultLocale: Remembered<string | null>
  /** Differences between the tables and the definitions, for the log. */
  readonly differences: Remembered<readonly string[]>
}

const rememberFacts = (database: Database, schemas: readonly string[]): Remembered<Facts> =>
  remember(() => readFacts(database, schemas), factsAge)

export function makeTableFacts(database: Database, { schema, needs, defaultLocale }: Settings): TableFacts {
  const tables: TableFacts = {
    database,
    givenLocale: defaultLocale,
    schemas: schema.schemas,
    facts: rememberFacts(database, schema.schemas),
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

export function currentFacts(tables: TableFacts, reader: TablesReader): Promise<Facts> {
  const { stop } = reader
  const read = (): Promise<Facts> => factsFor(tables, reader, tables.facts)
  const reading = whileBusy(() => readAgain(tables.database, read), { patience: Infinity, stop })
  return Promise.race([reading, stop.stopped])
}

interface RenewedFacts {
  readonly facts: Facts
  /** Adds the remaining differences to an error, for the log. */
  readonly raise: (error: unknown) => never
}

/** Reads the tables anew after an error that says they have changed. Throws other errors, and those that no read can fix. */
export async function factsAfterDrift(
  tables: TableFacts,
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

async function factsFor(
  { givenLocale, defaultLocale }: TableFacts,
  { state, model }: TablesReader,
  read: () => Promise<Facts>,
): Promise<Facts> {
  if (givenLocale !== undefined || !(model.localized || model.uid === localeUid)) return read()
  const [now, latest] = await Promise.all([state(), read()])
  return { ...latest, defaultLocale: await defaultLocale(now) }
}

function renewFacts(tables: TableFacts): Promise<Facts> {
  const now = performance.now()
  if (now - tables.renewedAt > renewalAge) {
    tables.renewedAt = now
    tables.facts = rememberFacts(tables.database, tables.schemas)
  }
  return tables.facts()
}
