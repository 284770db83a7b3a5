import { ConfigError } from '../errors'
import { isTable } from './option'

/** What is wrong with a value that should be an object. */
export function problemOfNoObject(value: unknown): string {
  if (Array.isArray(value)) return 'is a list'
  return value === null || value === undefined ? `is ${String(value)}` : `is no object, but ${typeof value}`
}

/** All else that is said of a configuration takes it for an object. */
export function checkConfigObject(config: unknown): void {
  if (isTable(config)) return
  const remedy = "{ contentTypes: './content-types', database: { client, connection } }"
  throw new ConfigError([{ where: 'config', problem: problemOfNoObject(config), remedy }])
}
