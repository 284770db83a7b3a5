import { knex as makeKnex, type Knex } from 'knex'
import { ConfigError } from '../errors'

/** How Knex says that there is no driver, in words that it takes from Node. */
const notThere = /^Knex: run\s*\$ npm install ([\w-]+)[^]*Cannot find module/

/** Knex says how to install it, and then where it was looked for, line by line. */
const cannotLoad = /^Knex: run\s*\$ npm install ([\w-]+)/

const driverFault = (problem: string, remedy: string): ConfigError =>
  new ConfigError([{ where: 'database.client', problem, remedy }])

/** With the driver that is installed beside Knex. `instead` makes one where there is none. */
export function makeWithDriver(config: Knex.Config, instead?: (driver: string) => Knex | null): Knex {
  try {
    return makeKnex(config)
  } catch (error) {
    const { message } = error as Error
    const [, lacks] = notThere.exec(message) ?? []
    if (lacks !== undefined) {
      const other = instead?.(lacks) ?? null
      if (other !== null) return other
      throw driverFault(`the driver ${lacks} is not installed`, `npm install ${lacks}`)
    }
    const [, name] = cannotLoad.exec(message) ?? []
    if (name === undefined) throw error
    // Such as one that was compiled for another Node.
    throw driverFault(`the driver ${name} cannot be loaded`, `npm rebuild ${name}`)
  }
}

export type DialectName = 'sqlite' | 'mysql' | 'postgres'

/** What differs by the driver. */
export interface Driver {
  /** Its name in Knex. */
  readonly client: string
  /** Runs in this process: no connection to it is lost, and the process waits while it reads. */
  readonly isInProcess: boolean
  /** Whether it takes names under which the server keeps statements prepared. */
  readonly namesStatements: boolean
  /** What the driver wants said, unless the configuration says otherwise. */
  readonly tune: (option: Knex.Config) => Knex.Config
  /** Rows of a raw statement of Knex, from what surrounds them. */
  readonly rowsIn: (result: unknown) => unknown
}

/** The statements of a level are sent together. Versions of `pg` that do not know a setting ignore it. */
const pgSettings = { pipeline: true }

function withPgSettings(connection: Knex.Config['connection']): Knex.Config {
  if (typeof connection === 'string') return { connection: { ...pgSettings, connectionString: connection } }
  return typeof connection === 'object' ? { connection: Object.assign({ ...pgSettings }, connection) } : {}
}

export const drivers: Readonly<Record<DialectName, Driver>> = {
  sqlite: {
    client: 'better-sqlite3',
    isInProcess: true,
    namesStatements: false,
    tune: (option) => ({ useNullAsDefault: true, ...option }),
    rowsIn: (rows) => rows,
  },
  mysql: {
    client: 'mysql2',
    isInProcess: false,
    namesStatements: false,
    tune: (option) => option,
    rowsIn: (result) => (result as readonly unknown[])[0],
  },
  postgres: {
    client: 'pg',
    isInProcess: false,
    namesStatements: true,
    tune: (option) => ({ ...option, ...withPgSettings(option.connection) }),
    rowsIn: (result) => (result as { readonly rows: unknown }).rows,
  },
}

export const driverOf = ({ dialect }: { readonly dialect: DialectName }): Driver => drivers[dialect]

/** The dialect of one of Knex's clients; undefined for any other. */
export const dialectNamed = (client: unknown): DialectName | undefined =>
  (Object.keys(drivers) as DialectName[]).find((name) => drivers[name].client === client)
