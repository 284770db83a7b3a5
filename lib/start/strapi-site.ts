import { clientOf, type DatabaseConfig } from '../database'
import type { ContentRouterConfig } from '../config'
import type { Fault } from '../errors'
import {
  DatabaseUntold,
  emptyFilename,
  faultsOfDotEnv,
  handOver,
  strapiProject,
  type StrapiProject,
} from '../project'
import { openTraceless } from './open-traceless'
import { noTypesYet } from './no-types-yet'
import type { Site } from './site'
import type { StartAsked, Teller } from './start-asked'
import { StartError } from './start-error'
import { hasTypes, type StrapiFolder } from './strapi-folder'
import { uploadsOf } from './uploads'

function databaseAt({ client: named, where }: NonNullable<StartAsked['connection']>): DatabaseConfig {
  const client = named ?? clientOf(where) ?? 'better-sqlite3'
  return { client, connection: client === 'better-sqlite3' ? { filename: where } : where }
}

const ways = `  --connection postgres://user:password@host/database
  --connection mysql://user:password@host/database
  --connection path/to/data.db`

/** What only running the project's code would tell is for the person to tell, and the rest for them to mend. */
function untoldDatabase(error: unknown): unknown {
  if (!(error instanceof DatabaseUntold)) return error
  const lines = error.faults.map(({ where, problem, remedy }: Fault) =>
    remedy === handOver
      ? `  ${where}: ${problem}, and nothing of a project is run`
      : `  ${where}: ${problem} (${String(remedy)})`,
  )
  const isToMend = error.faults.some(({ remedy }) => remedy !== handOver)
  const advice = isToMend ? 'Mend that, or say where the database is:' : 'Say where the database is:'
  return new StartError(['Where the database is could not be read.', ...lines, advice, ways].join('\n'))
}

function projectIn({ root }: StrapiFolder, { connection }: StartAsked): StrapiProject {
  try {
    return strapiProject(root, connection === null ? {} : { database: databaseAt(connection) })
  } catch (error) {
    throw untoldDatabase(error)
  }
}

/** Secrets are told of apart; files are shown where they say that they are. */
const notNeeded = /jwtSecret$|apiToken\.salt$|upload\.config\.provider$/

const notesOf = (hasSecrets: boolean, unread: readonly string[]): readonly string[] => [
  ...unread
    .filter((place) => !notNeeded.test(place))
    .map((place) => `not read, as only running it would tell: ${place}`),
  ...(hasSecrets
    ? []
    : [
        'tokens of users and of the API are taken for none: neither config nor .env tells JWT_SECRET and API_TOKEN_SALT',
      ]),
]

/** They may be why the next thing goes wrong: a password that keeps its quote is a wrong one. */
const environmentFaults = (root: string, database: ContentRouterConfig['database']): readonly Fault[] => [
  ...faultsOfDotEnv(root, process.env),
  ...((database as DatabaseConfig).client === 'better-sqlite3' ? emptyFilename(root, process.env) : []),
]

/** Who asks and what is remembered are not the project's to say here, and neither is which types its code guards. */
export function strapiSite(found: StrapiFolder, asked: StartAsked, { complain }: Teller): Site {
  const { root, name, version } = found
  if (!hasTypes(root)) throw noTypesYet()
  const { options, prefix, unread } = projectIn(found, asked)
  const { database, ...config } = options
  for (const { where, problem, remedy } of environmentFaults(root, database))
    complain(`warning: ${where}: ${problem} (${String(remedy)})`)
  return {
    title: `Strapi ${version ?? '5'} project ${name}`,
    name,
    config: { ...config, projectCode: { withhold: 'none' } },
    isOfStrapi: true,
    opened: openTraceless(database, root, true),
    prefix,
    uploads: uploadsOf(root),
    examples: [],
    notes: notesOf(options.role !== undefined, unread),
  }
}
