import type { Request } from 'express'
import { aggregates } from '../../extensions/aggregate'
import { observe } from '../../extensions/observe'
import { openapi } from '../../extensions/openapi'
import { isFromDatabase, isStrapiAuth, loadProjectCode } from '../../extensions/strapi'
import {
  readTypes,
  type PermissionFunction,
  type PermissionsOption,
  type PermissionTable,
} from '../../lib/config'
import { contentRouter, type ContentRouter, type Extension } from '../../lib/http'
import { TablesError, type Fault } from '../../lib/errors'
import { type Schema, modelNamed, type Model } from '../../lib/schema'
import { type Database, isUnreachable } from '../../lib/database'
import { noTypesYet, type StartOptions, type Printer, StartError } from './start-options'
import { firstWarnings } from './first-warnings'
import { isOfThisMachine } from './refuse-other-hosts'
import type { Site } from './open-traceless'
import { advisedByStrapi } from './strapi-folder'

/** Never a role of a project: Strapi's role types have no spaces. */
const allRights = 'all rights'

interface RolesToTry {
  readonly names: readonly string[]
  readonly permissions: PermissionsOption
  /** True if Strapi has users, and tokens may identify them. */
  readonly hasUsers: boolean
  /** The place of the roles, for messages about unknown ones. */
  readonly source: 'database' | 'config'
}

/** Types of Strapi's roles; null if the project has no users. */
async function rolesIn({ knex }: Database): Promise<readonly string[] | null> {
  try {
    const rows = await knex<{ readonly type: string | null }>('up_roles').select('type').orderBy('id')
    return rows.flatMap(({ type }) => (type === null ? [] : [type]))
  } catch (error) {
    if (isUnreachable(error)) throw error
    return null
  }
}

const all: PermissionTable = { [allRights]: { find: '*', drafts: '*', aggregate: '*' } }

/** The roles of a configuration, and one more that may read all. */
async function rolesToTry(granted: PermissionsOption = {}, database: Database): Promise<RolesToTry> {
  const alone = { names: [allRights], permissions: all, hasUsers: false, source: 'config' } as const
  if (typeof granted === 'function') {
    const permissions: PermissionFunction = (role, uid, action) =>
      role === allRights || granted(role, uid, action)
    return { ...alone, permissions }
  }
  if (!isFromDatabase(granted))
    return { ...alone, names: [allRights, ...Object.keys(granted)], permissions: { ...granted, ...all } }
  const names = await rolesIn(database)
  if (names === null) return { ...alone, source: 'database' }
  const permissions = granted.withUnlimited(allRights)
  return { names: [allRights, ...names], permissions, hasUsers: true, source: 'database' }
}

const servedTypes = ({ models }: Schema): readonly Model[] =>
  [...models.values()].filter(({ uid, kind }) => kind !== 'component' && uid.startsWith('api::'))

/** Counting stops here: the exact number does not matter. */
const most = 10_000

/** A missing table has no rows. */
async function rowsOf({ knex }: Database, table: string): Promise<number> {
  try {
    const first = knex(table).select(knex.raw('1 as one')).limit(most).as('first')
    const [row]: readonly unknown[] = await knex.count('* as rows').from(first)
    return Number((row as { readonly rows: unknown }).rows)
  } catch {
    return 0
  }
}

async function typesAndRows(database: Database, schema: Schema): Promise<string> {
  const types = servedTypes(schema)
  const counts = await Promise.all(types.map(({ table }) => rowsOf(database, table)))
  const sum = counts.reduce((all, one) => all + one, 0).toLocaleString('en')
  const hasVersions = types.some((type) => type.draftAndPublish || type.localized)
  const rows = `${sum} rows${hasVersions ? ' (drafts and locales counted separately)' : ''}`
  const noun = types.length === 1 ? 'type' : 'types'
  return `${String(types.length)} ${noun}, ${counts.includes(most) ? 'more than ' : ''}${rows}`
}

/** Further types are counted: `content-router check` lists all. */
const shown = 6

/** Types whose responses may differ from Strapi's, as code of the project changes them there. */
function codeNotRun(schema: Schema): readonly string[] {
  const { types } = loadProjectCode(schema)
  if (types.length === 0) return []
  const names = types.slice(0, shown).map(({ uid }) => modelNamed(schema, uid)?.singularName ?? uid)
  const more = types.length > shown ? ` and ${String(types.length - shown)} more` : ''
  return [
    `the project runs custom code to read ${names.join(', ')}${more}, but the router does not run this code.`,
    '  Responses may lack data or show hidden data. To list the files, run content-router check.',
  ]
}

export interface ReadSite {
  readonly api: ContentRouter
  readonly roles: readonly string[]
}

/** Further differences are counted. */
const shownDifferences = 5

function differences(faults: readonly Fault[], remedy: string): string {
  const lines = faults.slice(0, shownDifferences).map(({ where, problem }) => `  ${where}: ${problem}`)
  const more = faults.length - lines.length
  const rest = more > 0 ? [`  … and ${String(more)} more`] : []
  const said = 'The tables do not match the definitions. Requests for missing parts fail with status 500:'
  return [said, ...lines, ...rest, `  ${remedy}`].join('\n')
}

async function checkReady(api: ContentRouter, { isOfStrapi }: Site, { complain }: Printer): Promise<void> {
  try {
    await api.ready()
  } catch (error) {
    if (!(error instanceof TablesError)) throw error
    if (error.faults.some(({ where }) => where === 'database'))
      throw isOfStrapi ? advisedByStrapi(error) : error
    const remedy = isOfStrapi
      ? 'Start Strapi once with these definitions, so that Strapi creates the tables.'
      : 'Run content-router check to list all differences.'
    complain(differences(error.faults, remedy))
  }
}

const noRoles: Readonly<Record<RolesToTry['source'], string>> = {
  database: 'the database has no roles. Start Strapi with npm run develop to create the roles',
  config: 'the permissions of the config are empty',
}

function checkRole(role: string | null, { names, permissions, source }: RolesToTry): void {
  // A function may accept more roles than can be listed.
  if (role === null || typeof permissions === 'function' || names.includes(role)) return
  // The role that may read all is internal.
  const known = names.filter((name) => name !== allRights)
  const why = known.length > 0 ? `the roles are ${known.join(', ')}` : noRoles[source]
  throw new StartError(`There is no role ${role}: ${why}.\nWithout --role, permissions are not enforced.`)
}

/** Tokens identify their users if the project's secrets are known; requests without a token have the role of `--role`. */
function answeringTo(
  name: string,
  { config: { role } }: Site,
  { hasUsers }: RolesToTry,
): Pick<Site['config'], 'role'> {
  return { role: isStrapiAuth(role) && hasUsers ? role.withStrangers(name) : () => name }
}

function extensionsOf({ config: { extensions = [] } }: Site, options: StartOptions): readonly Extension[] {
  const kept = extensions.filter(({ name }) => name !== 'observe')
  const missing = [openapi(), aggregates()].filter(({ name }) => kept.every((one) => one.name !== name))
  // Explanations name hidden types. Strapi's responses have none, so they are sent on demand, as the explorer does.
  const isExplained = isOfThisMachine(options.host)
  const explain = isExplained ? (req: Request): boolean => req.get('X-Explain') !== undefined : undefined
  return [...kept, ...missing, observe({ serverTiming: true, explain })]
}

export async function readSite(site: Site, options: StartOptions, printer: Printer): Promise<ReadSite> {
  const { config, opened } = site
  const { logger, endReading, endChecking } = firstWarnings(printer)
  const schema = readTypes({ ...config, database: {} })
  if (servedTypes(schema).length === 0) throw noTypesYet()
  printer.print(`${site.title}\n  ${opened.place}`)
  const roles = await rolesToTry(config.permissions, opened.database)
  checkRole(options.role, roles)
  const shownRole = options.role ?? allRights
  const api = contentRouter({
    ...config,
    ...answeringTo(shownRole, site, roles),
    database: opened.option,
    permissions: roles.permissions,
    extensions: extensionsOf(site, options),
    notFound: 'json',
    logger,
  })
  endReading()
  await checkReady(api, site, printer)
  printer.print(`  ${await typesAndRows(opened.database, schema)}`)
  for (const note of [...site.notes, ...codeNotRun(schema)]) printer.print(`  ${note}`)
  endChecking()
  return { api, roles: roles.names.filter((name) => name !== shownRole) }
}
