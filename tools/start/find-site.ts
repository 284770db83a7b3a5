import { basename, dirname, join } from 'node:path'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { RequestHandler } from 'express'
import type { ContentTypesConfig } from '../../lib/config'
import { type ContentRouterConfig, migrate } from '../../lib/http'
import type { ExampleQueries } from '../../extensions/explorer'
import { namedQueries, type NamedQueries } from '../../extensions/queries'
import { openDatabase } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import { seed, type SeedContent } from '../../extensions/seed'
import { introspectedSite } from './introspected-site'
import { openTraceless, plainSite, type Site } from './open-traceless'
import { readOnlyDatabase } from './read-only-database'
import { type StartOptions, type Printer, StartError } from './start-options'
import { strapiFolder } from './strapi-folder'
import { strapiSite, uploadsOf } from './strapi-site'

interface SampleFiles {
  readonly readContent: () => SeedContent
  readonly pictureFor: (name: string) => string | null
  readonly examples?: readonly ExampleQueries[]
  readonly site: Pick<ContentRouterConfig, 'permissions'>
  readonly queries: NamedQueries
}

function ownFolder(from = __dirname): string {
  return existsSync(join(from, 'package.json')) ? from : ownFolder(dirname(from))
}

const fileIn = (folder: string, name: string): string =>
  pathToFileURL(join(folder, 'examples', 'sample', name)).href

async function sampleFiles(folder: string): Promise<SampleFiles> {
  const parts = ['content.mjs', 'pictures.mjs', 'site.mjs', 'examples.mjs'].map(
    (name) => import(fileIn(folder, name)) as Promise<object>,
  )
  return Object.assign({}, ...(await Promise.all(parts))) as SampleFiles
}

const drawn =
  ({ pictureFor }: SampleFiles): RequestHandler =>
  (req, res, next) => {
    const picture = pictureFor(req.path.slice(1))
    if (picture === null) next()
    else res.type('svg').set('Content-Security-Policy', 'sandbox').send(picture)
  }

const lacksDriver = `The sample needs a driver that is not installed:
  npx -p express-content-router -p better-sqlite3 express-content-router`

function databaseInMemory(folder: string): ReturnType<typeof readOnlyDatabase> {
  try {
    return readOnlyDatabase({ client: 'better-sqlite3', connection: ':memory:' }, folder)
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(lacksDriver) : error
  }
}

/** A magazine in three languages, in a database in memory. */
async function sampleSite(folder: string): Promise<Site> {
  const database = databaseInMemory(folder)
  const own = ownFolder()
  const files = await sampleFiles(own)
  const config = { contentTypes: join(own, 'content-types') }
  await migrate({ ...config, ...files.site, database })
  await seed({ ...config, database }, files.readContent())
  return {
    ...plainSite,
    title: 'The sample: The Long Way, a magazine about walking and cities',
    name: 'The Long Way',
    config: { ...config, ...files.site, extensions: [namedQueries(files.queries)] },
    opened: {
      option: database,
      database: openDatabase(database),
      place: 'SQLite in memory',
      close: () => database.destroy(),
    },
    uploads: drawn(files),
    examples: files.examples ?? [],
  }
}

/** A config file or flags, with paths relative to the folder. */
function configuredSite(config: ContentTypesConfig & Partial<ContentRouterConfig>, folder: string): Site {
  const { database, ...others } = config
  return {
    ...plainSite,
    title: `The content-router config of ${basename(folder)}`,
    name: basename(folder),
    config: others,
    opened: openTraceless(database, folder, false),
    uploads: uploadsOf(folder),
  }
}

const nothingIn = (folder: string): StartError =>
  new StartError(
    `${folder} contains neither a Strapi project nor a content-router config.\nTo serve a database, add --connection <where>`,
  )

/** A config file comes first, then a Strapi project, then the tables of a named database, then the sample. */
export async function findSite(options: StartOptions, printer: Printer): Promise<Site> {
  const { config, folder, isNamed, connection } = options
  if (config !== null) return configuredSite(config, folder)
  const project = strapiFolder(folder)
  if (project !== null) return strapiSite(project, options, printer)
  if (connection !== null) return introspectedSite(connection, folder)
  if (isNamed) throw nothingIn(folder)
  printer.print('This folder has no Strapi project and no content-router config. The sample is starting.')
  return sampleSite(folder)
}
