import { knex as makeKnex, type Knex } from 'knex'
import { ConfigError } from '../errors'

/** Knex's message about a missing driver. */
const notThere = /^Knex: run\s*\$ npm install ([\w-]+)[^]*Cannot find module/

/** Knex's message, followed by the places of its search. */
const cannotLoad = /^Knex: run\s*\$ npm install ([\w-]+)/

const driverFault = (problem: string, remedy: string): ConfigError =>
  new ConfigError([{ where: 'database.client', problem, remedy }])

/** The driver beside Knex; `instead` is called if it is missing. */
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
    // For example a driver compiled for another Node.
    throw driverFault(`the driver ${name} cannot be loaded`, `npm rebuild ${name}`)
  }
}

export type DialectName = 'sqlite' | 'mysql' | 'postgres'

export interface Driver {
  readonly client: string
  /** It has no connections to lose, and reads block the process. */
  readonly isInProcess: boolean
  /** True if statements can be prepared on the server by name. */
  readonly namesStatements: boolean
  /** Settings that the configuration may override. */
  readonly tune: (option: Knex.Config) => Knex.Config
  readonly rowsIn: (result: unknown) => unknown
}

/** The statements of a level are sent together. Older versions of `pg` ignore the setting. */
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

export const dialectNamed = (client: unknown): DialectName | undefined =>
  (Object.keys(drivers) as DialectName[]).find((name) => drivers[name].client === client)
