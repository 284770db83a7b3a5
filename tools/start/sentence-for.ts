import { withoutAddress } from '../../lib/database'
import { ConfigError, DatabaseError, type Fault, TablesError } from '../../lib/errors'
import { StartError } from './start-options'

/** Advice for an unreachable database, by the driver's message. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /no database server is listening|does not answer|no connection/,
    'Start the database, or set its address: --connection <where>.',
  ],
  [
    /host name is unknown/,
    'The name of a container resolves only inside other containers. To override .env, put DATABASE_HOST=localhost before the command.',
  ],
  [
    /the user or the password/,
    'Check the user and the password in .env. A variable before the command overrides the value in .env.',
  ],
  [
    /not have the configured database/,
    'Check the name of the database in .env. Or create the database, and start Strapi once with npm run develop.',
  ],
  [
    /not support TLS|certificate/,
    'Check ssl in config/database. If the server has no TLS, put DATABASE_SSL=false before the command.',
  ],
]

const broken = 'The database file, or its disk, cannot be read.'

/** SQLite has no server that could be started. */
const ofFiles: readonly (readonly [RegExp, string])[] = [
  [
    /BUSY|LOCKED|PROTOCOL/,
    'Another process has locked the database file.\nWait until the other process ends, or stop the other process.',
  ],
  [
    /READONLY/,
    'The database file has an unfinished transaction of another process.\nStart Strapi once with npm run develop to recover the file.',
  ],
  [/NOTADB/, 'The file is not a SQLite database, or is encrypted.\nSet another file: --connection <where>.'],
  [/CORRUPT/, 'The database file is damaged.\nUse a backup: --connection path/to/data.db.'],
  [
    /CANTOPEN|PERM/,
    'The database file cannot be opened.\nCheck that this user is allowed to read the file and its folder.',
  ],
  [/IOERR|FULL/, `${broken}\nCheck the disk, or choose another file: --connection path/to/data.db.`],
]

function unreachable({ code, message }: DatabaseError): string {
  const ofFile = code.startsWith('SQLITE_') ? ofFiles.find(([codes]) => codes.test(code))?.[1] : undefined
  if (ofFile !== undefined) return `${ofFile} (${code})`
  const remedy = remedies.find(([words]) => words.test(message))?.[1]
  return remedy === undefined ? message : `${message}.\n${remedy}`
}

/** Knex's message about a driver that is installed neither here nor in the project. */
function missingDriver(faults: readonly Fault[]): string | null {
  const [, name] = /^the driver ([\w-]+) is not installed$/.exec(faults[0]?.problem ?? '') ?? []
  if (name === undefined) return null
  return `The driver ${name} is not installed. Install the dependencies of the project (npm install), or run:\n  npx -p express-content-router -p ${name} express-content-router`
}

/** Node's message has the file and the reason. */
const fileFault = (error: unknown): string | null =>
  error instanceof Error && 'path' in error && 'code' in error ? error.message : null

/** Foreign messages never stand alone. */
function unforeseen(error: unknown): string {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `Unexpected error:\n  ${said}\nPlease report the error: https://github.com/express-content-router/express-content-router/issues`
}

/** The message for the terminal: the problem and the advice. No connection strings, and no stack. */
export function sentenceFor(raised: unknown): string {
  const error = withoutAddress(raised)
  if (error instanceof DatabaseError) return unreachable(error)
  if (error instanceof ConfigError) return missingDriver(error.faults) ?? error.message
  if (error instanceof TablesError || error instanceof StartError) return error.message
  return fileFault(error) ?? unforeseen(error)
}
