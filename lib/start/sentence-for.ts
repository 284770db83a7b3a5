import { withoutAddress } from '../database'
import { ConfigError, DatabaseError, type Fault, TablesError } from '../errors'
import { StartError } from './start-error'

/** What a person does about a database that cannot be reached, by what the driver says. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /nothing listens|does not answer|no connection/,
    'Start the database, or say where it is: --connection <where>.',
  ],
  [
    /host is not known/,
    'A name of a container is known among containers alone: DATABASE_HOST=localhost before the command wins over .env.',
  ],
  [
    /user nor this password/,
    'Look at the user and the password in .env; a variable before the command wins over it.',
  ],
  [
    /no database of this name/,
    'Look at the name of the database in .env, or let Strapi start once, which fills it.',
  ],
  [
    /no TLS|certificate/,
    'Look at ssl in config/database; DATABASE_SSL=false before the command may be what it takes.',
  ],
]

function unreachable({ message }: DatabaseError): string {
  const remedy = remedies.find(([words]) => words.test(message))?.[1]
  return remedy === undefined ? message : `${message}.\n${remedy}`
}

/** Knex's words for a driver that is not installed: neither here nor in the project. */
function missingDriver(faults: readonly Fault[]): string | null {
  const [, name] = /^the driver ([\w-]+) is not installed$/.exec(faults[0]?.problem ?? '') ?? []
  if (name === undefined) return null
  return `The driver ${name} is installed neither here nor in the project. Install what the project needs (npm install), or:\n  npx -p express-content-router -p ${name} express-content-router`
}

/** For the person at the terminal: what went wrong, and what to do. Nothing of a connection, and no stack. */
export function sentenceFor(raised: unknown): string {
  const error = withoutAddress(raised)
  if (error instanceof DatabaseError) return unreachable(error)
  if (error instanceof ConfigError) return missingDriver(error.faults) ?? error.message
  if (error instanceof TablesError || error instanceof StartError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
