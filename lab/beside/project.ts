// Copies a project's definitions into an app of its own: what a project runs besides stays where it is.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Knex } from 'knex'
import { ownPlugins, writeApi, writeAppAround, writeConfigFile } from '../bench/strapi/app'
import { customTypeOf } from '../../lib/schema/custom-fields'
import type { DatabaseName } from '../../spec/support/servers'

interface Attribute {
  readonly type?: string
  readonly target?: string
  readonly customField?: string
}

interface Definition {
  readonly attributes?: Readonly<Record<string, Attribute>>
}

interface Found {
  /** Below `src`. */
  readonly path: string
  readonly definition: Definition
}

/** The app, and what of the project is not in it. */
export interface Twin {
  readonly folder: string
  readonly contentTypes: readonly string[]
  readonly notes: readonly string[]
}

const places = [
  /^api\/[^/]+\/content-types\/[^/]+\/schema\.json$/,
  /^components\/[^/]+\/[^/]+\.json$/,
  /^extensions\/(users-permissions|upload)\/content-types\/[^/]+\/schema\.json$/,
]

/** Types that every Strapi has; those of other plugins come with the plugins. */
const atHand = /^(api|admin)::|^plugin::(users-permissions\.(user|role)|upload\.(file|folder)|i18n\.locale)$/

const srcOf = (project: string): string =>
  existsSync(join(project, 'src', 'api')) ? join(project, 'src') : project

function read(file: string): Definition {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Definition
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON, by Strapi neither: ${String(error)}`, { cause: error })
  }
}

function definitionsIn(project: string): Found[] {
  const src = srcOf(project)
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(src, join(entry.parentPath, entry.name)))
    .filter((path) => places.some((place) => place.test(path)))
    .sort()
    .map((path) => ({ path, definition: read(join(src, path)) }))
}

const isAtHand = ({ type, target }: Attribute): boolean =>
  type !== 'relation' || target === undefined || atHand.test(target)

function withoutPlugins({ path, definition }: Found): { readonly found: Found; readonly notes: string[] } {
  const attributes = Object.entries(definition.attributes ?? {})
  const kept = attributes.filter(([, attribute]) => isAtHand(attribute))
  const notes = attributes
    .filter(([, attribute]) => !isAtHand(attribute))
    .map(([name, { target }]) => `${path}: ${name} is left out, as it leads to ${String(target)}`)
  const found = { path, definition: { ...definition, attributes: Object.fromEntries(kept) } }
  return { found: notes.length === 0 ? { path, definition } : found, notes }
}

function customFieldsOf(all: readonly Found[]): string[] {
  const names = all.flatMap(({ definition }) =>
    Object.values(definition.attributes ?? {}).flatMap(({ customField }) => customField ?? []),
  )
  return [...new Set(names)]
}

/** A plugin that brings nothing but a custom field, kept as the real one keeps it. */
function writePlugin(app: string, plugin: string, fields: readonly (readonly [string, string])[]): void {
  const folder = join(app, 'src', 'plugins', plugin)
  mkdirSync(folder, { recursive: true })
  const pack = { name: plugin, version: '0.0.0', strapi: { name: plugin, kind: 'plugin' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(pack))
  const all = fields.map(([name, type]) => ({ name, type, plugin }))
  writeFileSync(
    join(folder, 'strapi-server.js'),
    `module.exports = { register({ strapi }) { strapi.customFields.register(${JSON.stringify(all)}) } }\n`,
  )
}

const typeOf = (uid: string): string | undefined =>
  customTypeOf({ declaredTypes: new Map(), storedTypes: new Map() }, uid)

function writeCustomFields(app: string, uids: readonly string[]): string[] {
  const plugins = new Map<string, (readonly [string, string])[]>()
  for (const uid of uids) {
    const [, plugin, name] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? []
    if (plugin === undefined || name === undefined) continue
    const fields = plugins.get(plugin) ?? []
    plugins.set(plugin, [...fields, [name, typeOf(uid) ?? 'string']])
  }
  for (const [plugin, fields] of plugins) writePlugin(app, plugin, fields)
  const declared = [...plugins.keys()].map(
    (plugin) => [plugin, { enabled: true, resolve: `./src/plugins/${plugin}` }] as const,
  )
  writeConfigFile(app, 'plugins', { ...ownPlugins, ...Object.fromEntries(declared) })
  const guessed = uids.filter((uid) => typeOf(uid) === undefined)
  return guessed.map((uid) => `${uid} is taken for a string`)
}

function writeDefinition(src: string, { path, definition }: Found): void {
  const text = JSON.stringify(definition, null, 2)
  const [place, api, , type] = path.split('/')
  if (place === 'api') {
    writeApi(src, text, { api, type })
    return
  }
  mkdirSync(dirname(join(src, path)), { recursive: true })
  writeFileSync(join(src, path), text)
}

export function writeTwin(
  project: string,
  at: { readonly folder: string; readonly name: DatabaseName; readonly database: Knex.Config },
): Twin {
  const { folder, name, database } = at
  const found = definitionsIn(project).map(withoutPlugins)
  if (found.length === 0) throw new Error(`${project} holds no api/<api>/content-types/<type>/schema.json`)
  rmSync(folder, { recursive: true, force: true })
  writeAppAround(folder, name, database)
  const src = join(folder, 'src')
  const all = found.map(({ found }) => found)
  for (const one of all) writeDefinition(src, one)
  const guesses = writeCustomFields(folder, customFieldsOf(all))
  const contentTypes = ['api', 'components', 'extensions']
    .map((place) => join(src, place))
    .filter((place) => existsSync(place))
  return { folder, contentTypes, notes: [...found.flatMap(({ notes }) => notes), ...guesses] }
}

export const nameOf = (project: string): string => basename(project).replace(/[^\w-]/g, '_')
