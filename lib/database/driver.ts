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
