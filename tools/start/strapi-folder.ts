import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { TablesError } from '../../lib/errors'
import type { ContentRouterConfig } from '../../lib/http'
import { remedies } from '../../lib/tables'
import { strapiProject } from '../../extensions/strapi'
import { StartError, noTypesYet } from './start-options'
import { openTraceless } from './open-traceless'

/** Configuration of a Strapi project for commands that do not serve it. */
interface StrapiConfig {
  readonly config: ContentRouterConfig
  readonly close: () => Promise<void>
}

/** The database is opened like for a site: with the project's driver, and without writing. */
export function strapiConfig({ root }: StrapiFolder, asksDatabase: boolean): StrapiConfig {
  if (!hasTypes(root)) throw noTypesYet()
  // The database may be unknown without the project's code, and is not needed then.
  if (!asksDatabase)
    return { config: strapiProject(root, { database: {} }).options, close: () => Promise.resolve() }
  const { options } = strapiProject(root)
  const { option, close } = openTraceless(options.database, root, true)
  return { config: { ...options, database: option }, close }
}

/** Strapi makes the tables of an empty database. */
export function advisedByStrapi(error: unknown): unknown {
  if (!(error instanceof TablesError)) return error
  const advised = (remedy: string): string =>
    remedy.replace(remedies.us, 'start Strapi once with npm run develop, so that Strapi creates the tables')
  return new TablesError(
    error.faults.map((fault) =>
      fault.remedy === undefined ? fault : { ...fault, remedy: advised(fault.remedy) },
    ),
  )
}

export interface StrapiFolder {
  readonly root: string
  readonly name: string
  /** The installed version or else the required one; null without both. */
  readonly version: string | null
}

type Json = Readonly<Record<string, unknown>>

function jsonIn(file: string): Json {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}

const textAt = (value: unknown, name: string): string | null => {
  const text = (Object(value) as Json)[name]
  return typeof text === 'string' ? text : null
}

const strapi = '@strapi/strapi'

const requiredVersion = (manifest: Json, name: string): string | null =>
  textAt(manifest['dependencies'], name) ?? textAt(manifest['devDependencies'], name)

export const hasTypes = (root: string): boolean => existsSync(join(root, 'src', 'api'))

const looksLikeProject = (root: string): boolean => hasTypes(root) && existsSync(join(root, 'config'))

/** True for `src` and `src/api` of a Strapi project. */
export function isOfStrapi(folder: string): boolean {
  const [, root] = /^(.*)[\\/]src(?:[\\/]api)?$/.exec(resolve(folder)) ?? []
  return root !== undefined && looksLikeProject(root)
}

/** Local dependencies, `workspace:*` or `file:…`, have no version. */
const versionIn = (text: string | null): string | null =>
  /^[\^~>=v ]*(\d+(?:\.\d+)*)/.exec(text ?? '')?.[1] ?? null

/** A Strapi project, recognized by its dependencies or its folders. None of its code is run. */
export function strapiFolder(root: string): StrapiFolder | null {
  const manifest = jsonIn(join(root, 'package.json'))
  const required = requiredVersion(manifest, strapi)
  const isOld = requiredVersion(manifest, 'strapi') !== null && existsSync(join(root, 'api'))
  if (isOld) throw tooOld('3', root)
  if (required === null && !looksLikeProject(root)) return null
  const installed = textAt(jsonIn(join(root, 'node_modules', strapi, 'package.json')), 'version')
  const version = installed ?? versionIn(required)
  if (version !== null && Number.parseInt(version, 10) < 5) throw tooOld(version, root)
  return { root, name: textAt(manifest, 'name') ?? basename(root), version }
}

const tooOld = (version: string, root: string): StartError =>
  new StartError(
    `${basename(root)} is a project of Strapi ${version}, and the router reads Strapi 5.\nTo upgrade the project and its database, run npx @strapi/upgrade major`,
  )
