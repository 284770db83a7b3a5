import { parseArgs } from 'node:util'
import { databaseNames, type DatabaseName } from '../../spec/support/servers'

export interface BesideOptions {
  /** Of a Strapi project, or one that holds `api` and `components`. */
  readonly folder: string | undefined
  readonly database: DatabaseName
  readonly requests: number
  readonly seed: number
}

export const usage = `npm run beside -- [folder of a Strapi project] [options]

Makes a Strapi 5 of the project's definitions, fills it, and asks it and the router the same.
Nothing of the project is run or written to. Without a folder: our own small definitions.

  --database name   of ${databaseNames.join(', ')}; sqlite by default
  --requests n      how many are asked of both, 200 by default
  --seed n          the same number makes the same content and the same requests; 1 by default
`

const definitions = {
  database: { type: 'string', default: 'sqlite' },
  requests: { type: 'string', default: '200' },
  seed: { type: 'string', default: '1' },
  help: { type: 'boolean', default: false },
} as const

function numberOf(name: string, text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new Error(`--${name} takes a number`)
}

/** Undefined: only help is asked for. */
export function readOptions(args: readonly string[]): BesideOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: definitions,
    allowPositionals: true,
  })
  if (values.help) return undefined
  if (positionals.length > 1) throw new Error('one folder at a time')
  const database = databaseNames.find((name) => name === values.database)
  if (database === undefined) throw new Error(`there is no ${values.database}: ${databaseNames.join(', ')}`)
  return {
    folder: positionals[0],
    database,
    requests: numberOf('requests', values.requests),
    seed: numberOf('seed', values.seed),
  }
}
