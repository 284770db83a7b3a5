import type { Knex } from 'knex'

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
