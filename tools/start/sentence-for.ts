import { withoutAddress } from '../../lib/database'
import { ConfigError, DatabaseError, type Fault, TablesError } from '../../lib/errors'
import { StartError } from './start-options'

/** Advice for an unreachable database, by the driver's message. */
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
    'Look at the name of the database in .env, or make it, and start Strapi once (npm run develop), which fills it.',
  ],
  [
    /no TLS|certificate/,
    'Look at ssl in config/database; DATABASE_SSL=false before the command may be what it takes.',
  ],
]

const broken =
  'The disk that the file of the database lies on, or the file itself, cannot be read as it should.'

/** SQLite has no server that could be started. */
const ofFiles: readonly (readonly [RegExp, string])[] = [
  [
    /BUSY|LOCKED|PROTOCOL/,
    'Another process has locked the file of the database, and may be writing it.\nTry again once it is done, or end it.',
  ],
  [
    /READONLY/,
    'The file of the database waits for what another process left unfinished.\nStart Strapi once (npm run develop), which puts it in order.',
  ],
  [/NOTADB/, 'The file is no SQLite database, or an encrypted one.\nName another: --connection <where>.'],
  [
    /CORRUPT/,
    'The file of the database is damaged.\nTake the last copy of it: --connection path/to/data.db.',
  ],
  [
    /CANTOPEN|PERM/,
    'The file of the database cannot be opened.\nLook at whether this user may read it, and the folder that it lies in.',
  ],
  [/IOERR|FULL/, `${broken}\nLook at the disk, or name another file: --connection path/to/data.db.`],
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
  return `The driver ${name} is installed neither here nor in the project. Install what the project needs (npm install), or:\n  npx -p express-content-router -p ${name} express-content-router`
}

/** Node's message has the file and the reason. */
const fileFault = (error: unknown): string | null =>
  error instanceof Error && 'path' in error && 'code' in error ? error.message : null

/** Foreign messages never stand alone. */
function unforeseen(error: unknown): string {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `It ends here, by what was not foreseen:\n  ${said}\nPlease tell us: https://github.com/express-content-router/express-content-router/issues`
}

/** The message for the terminal: the problem and the advice. No connection strings, and no stack. */
export function sentenceFor(raised: unknown): string {
  const error = withoutAddress(raised)
  if (error instanceof DatabaseError) return unreachable(error)
  if (error instanceof ConfigError) return missingDriver(error.faults) ?? error.message
  if (error instanceof TablesError || error instanceof StartError) return error.message
  return fileFault(error) ?? unforeseen(error)
}
