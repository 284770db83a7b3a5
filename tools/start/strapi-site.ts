import express, { type RequestHandler } from 'express'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from '../../lib/errors'
import { DatabaseUnknown, strapiProject, type StrapiProject } from '../../extensions/strapi'
import { databaseAt, openTraceless, type Site } from './open-traceless'
import { noTypesYet, type StartOptions, type Printer, StartError } from './start-options'
import { hasTypes, type StrapiFolder } from './strapi-folder'

/** An uploaded HTML or SVG file may contain scripts, which must not run with access to all content. */
const harmless = {
  'Content-Security-Policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'",
} as const

/** Uploads stored by Strapi itself; null without any. */
export function uploadsOf(root: string): RequestHandler | null {
  const folder = join(root, 'public', 'uploads')
  if (!existsSync(folder)) return null
  return express.static(folder, {
    index: false,
    redirect: false,
    setHeaders: (res) => {
      for (const [name, value] of Object.entries(harmless)) res.setHeader(name, value)
    },
  })
}

const ways = `  --connection postgres://user:password@host/database
  --connection mysql://user:password@host/database
  --connection path/to/data.db`

/** The advice is a flag of the command. */
function unknownDatabase(error: unknown): unknown {
  if (!(error instanceof DatabaseUnknown)) return error
  const lines = error.faults.map(({ where, problem }: Fault) => `  ${where}: ${problem}`)
  const [head, advice] = ['The database of the project is unknown.', 'Fix the config, or set the database:']
  return new StartError([head, ...lines, advice, ways].join('\n'))
}

function projectIn({ root }: StrapiFolder, { connection }: StartOptions): StrapiProject {
  try {
    return strapiProject(root, {
      serve: '*',
      ...(connection === null ? {} : { database: databaseAt(connection) }),
    })
  } catch (error) {
    throw unknownDatabase(error)
  }
}

/** Missing secrets have a note of their own; uploads need no provider. */
const notNeeded = /jwtSecret$|apiToken\.salt$|upload\.config\.provider$/

const notesOf = (hasSecrets: boolean, unread: readonly string[]): readonly string[] => [
  ...unread.filter((place) => !notNeeded.test(place)).map((place) => `the server could not load ${place}`),
  ...(hasSecrets
    ? []
    : ['JWT_SECRET and API_TOKEN_SALT were not found in config or .env. Bearer tokens are ignored.']),
]

/** The project's `role`, cache and withheld types do not apply here. */
export function strapiSite(found: StrapiFolder, options: StartOptions, { print }: Printer): Site {
  const { root, name, version } = found
  if (!hasTypes(root)) throw noTypesYet()
  print('Running the config files of the Strapi project in this process.')
  const { options: own, prefix, unread } = projectIn(found, options)
  const { database, ...config } = own
  return {
    title: `Strapi ${version ?? '5'} project ${name}`,
    name,
    config,
    isOfStrapi: true,
    opened: openTraceless(database, root, true),
    prefix,
    uploads: uploadsOf(root),
    examples: [],
    notes: notesOf(own.role !== undefined, unread),
  }
}
