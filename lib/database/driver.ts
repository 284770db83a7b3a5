import { knex as makeKnex, type Knex } from 'knex'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigError } from '../errors'
import { nodeSqlite } from './node-sqlite'

const sqlite = 'better-sqlite3'

type ClientClass = new (config: Knex.Config) => Knex.Client

/** How Knex says that there is no driver, in words that it takes from Node. */
const notThere = /^Knex: run\s*\$ npm install ([\w-]+)[^]*Cannot find module/

/** Knex says how to install it, and then where it was looked for, line by line. */
const cannotLoad = /^Knex: run\s*\$ npm install ([\w-]+)/

function missingDriver(name: string): ConfigError {
  const problem = `the driver ${name} is not installed`
  return new ConfigError([{ where: 'database.client', problem, remedy: `npm install ${name}` }])
}

type SqliteDriver = new (filename: string) => { close(): void }

/** What is compiled in it is loaded only as it opens something, and may be for another Node. */
function opensNothing(driver: unknown): boolean {
  try {
    new (driver as SqliteDriver)(':memory:').close()
    return false
  } catch {
    return true
  }
}

/** The one that Node brings along, in place of one that is not there or opens nothing. */
const ownOfNode = (name: string): unknown => (name === sqlite ? nodeSqlite() : null)

/** The driver that a folder has installed; else the one that Node brings along. Null where there is neither. */
function driverIn(folder: string, name: string): (() => unknown) | null {
  const load = createRequire(join(folder, 'package.json'))
  const own = ownOfNode(name)
  try {
    load.resolve(name)
  } catch {
    return own === null ? null : () => own
  }
  return () => {
    const driver: unknown = load(name)
    return own !== null && opensNothing(driver) ? own : driver
  }
}

/** Knex's client with such a driver. */
function clientWith(load: () => unknown, name: string): typeof Knex.Client {
  // Without a connection no driver is loaded.
  const { client } = makeKnex({ client: name, useNullAsDefault: true }) as unknown as {
    readonly client: { constructor: ClientClass }
  }
  const own = class extends client.constructor {
    _driver(): unknown {
      return load()
    }
  }
  return own as unknown as typeof Knex.Client
}

function connected(config: Knex.Config): Knex | { readonly lacks: string } {
  try {
    return makeKnex(config)
  } catch (error) {
    const { message } = error as Error
    const [, lacks] = notThere.exec(message) ?? []
    if (lacks !== undefined) return { lacks }
    const [, name] = cannotLoad.exec(message) ?? []
    if (name === undefined) throw error
    // Such as one that was compiled for another Node.
    const problem = `the driver ${name} cannot be loaded`
    throw new ConfigError([{ where: 'database.client', problem, remedy: `npm rebuild ${name}` }])
  }
}

function connectedBy(load: () => unknown, name: string, config: Knex.Config): Knex {
  const made = connected({ ...config, client: clientWith(load, name) })
  if ('lacks' in made) throw missingDriver(made.lacks)
  return made
}

/** With the driver that is installed beside Knex. */
export function makeWithDriver(config: Knex.Config): Knex {
  const made = connected(config)
  if ('lacks' in made) throw missingDriver(made.lacks)
  return made
}

/** With that driver; else with the one of a folder; else with Node's own. */
export function makeWithDriverNear(folder: string, config: Knex.Config): Knex {
  const made = connected(config)
  if ('lacks' in made) {
    const load = driverIn(folder, made.lacks)
    if (load === null) throw missingDriver(made.lacks)
    return connectedBy(load, made.lacks, config)
  }
  const own = config.client === sqlite ? ownOfNode(sqlite) : null
  if (own === null || !opensNothing((made.client as { readonly driver: unknown }).driver)) return made
  return connectedBy(() => own, sqlite, config)
}
