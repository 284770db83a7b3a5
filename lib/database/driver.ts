import { knex as makeKnex, type Knex } from 'knex'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ConfigError } from '../errors'
import { nodeSqlite } from './node-sqlite'

type ClientClass = new (config: Knex.Config) => Knex.Client

/** How Knex says that there is no driver, in words that it takes from Node. */
const notThere = /^Knex: run\s*\$ npm install ([\w-]+)[^]*Cannot find module/

/** Knex says how to install it, and then where it was looked for, line by line. */
const cannotLoad = /^Knex: run\s*\$ npm install ([\w-]+)/

function missingDriver(name: string): ConfigError {
  const problem = `the driver ${name} is not installed`
  return new ConfigError([{ where: 'database.client', problem, remedy: `npm install ${name}` }])
}

/** The driver that a folder has installed; else the one that Node brings along. Null where there is neither. */
function driverIn(folder: string, name: string): (() => unknown) | null {
  const load = createRequire(join(folder, 'package.json'))
  try {
    load.resolve(name)
    return () => load(name) as unknown
  } catch {
    const own = name === 'better-sqlite3' ? nodeSqlite() : null
    return own === null ? null : () => own
  }
}

/** Knex's client with such a driver. */
function clientIn(folder: string, name: string): typeof Knex.Client | null {
  const load = driverIn(folder, name)
  if (load === null) return null
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

/** With the driver that is installed beside Knex; else with that of a folder, or Node's own, where one is named. */
export function makeWithDriver(config: Knex.Config, folder?: string): Knex {
  const made = connected(config)
  if (!('lacks' in made)) return made
  const client = folder === undefined ? null : clientIn(folder, made.lacks)
  if (client === null) throw missingDriver(made.lacks)
  const again = connected({ ...config, client })
  if ('lacks' in again) throw missingDriver(again.lacks)
  return again
}
