import { clientOf, type DatabaseConfig } from '../database'
import { ConfigError } from '../errors'
import { strapiProject, type StrapiProject } from '../project'
import { openTraceless } from './open-traceless'
import type { Site } from './site'
import type { StartAsked } from './start-asked'
import { StartError } from './start-error'
import type { StrapiFolder } from './strapi-folder'
import { uploadsOf } from './uploads'

function databaseAt({ client: named, where }: NonNullable<StartAsked['connection']>): DatabaseConfig {
  const client = named ?? clientOf(where) ?? 'better-sqlite3'
  return { client, connection: client === 'better-sqlite3' ? { filename: where } : where }
}

const sayIt = `Say it yourself:
  --connection postgres://user:password@host/database
  --connection mysql://user:password@host/database
  --connection path/to/data.db`

/** What only running its code would tell is for the person to tell. */
function untoldDatabase(error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error
  const places = error.faults.filter(({ where }) => where === 'config/database')
  if (places.length === 0) return error
  const named = places.map(({ problem }) => problem.replace(/ is told by running it alone$/, ''))
  return new StartError(
    `Where the database is could not be read from config/database, of which nothing is run: ${named.join(', ')}.\n${sayIt}`,
  )
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
  ...(hasSecrets ? [] : ['tokens say nothing here: JWT_SECRET or API_TOKEN_SALT could not be read']),
]

/** Who asks and what is remembered are not the project's to say here, and neither is which types its code guards. */
export function strapiSite(found: StrapiFolder, asked: StartAsked): Site {
  const { root, name, version } = found
  const { options, prefix, unread } = projectIn(found, asked)
  const { database, ...config } = options
  return {
    title: `Strapi ${version ?? '5'} project ${name}`,
    name,
    config: { ...config, projectCode: { withhold: 'none' } },
    opened: openTraceless(database, root, true),
    prefix,
    uploads: uploadsOf(root),
    examples: [],
    notes: notesOf(options.role !== undefined, unread),
  }
}
