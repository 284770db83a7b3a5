import fc from 'fast-check'
import type { Knex } from 'knex'
import {
  contentRouter,
  type ContentRouter,
  type ContentRouterConfig,
  type Logger,
  migrate,
  type PermissionTable,
  type RoleFunction,
} from '../../lib'
import { seed } from '../../extensions/seed'
import type { Definition as LibDefinition } from '../../lib/schema'
import { randomWorld, type RandomWorld } from '../support/arbitrary-worlds'
import type { TestDatabase } from '../support/databases'
import { type Host, roleHeader, serveRouters } from '../support/host'
import type { Options } from '../support/oracle'
import type { Content, Definition } from '../support/oracle-content'
import { anyConditions } from '../support/query-limits'

export function worldOf(seedNumber: number): RandomWorld {
  const [world] = fc.sample(randomWorld, { seed: seedNumber, numRuns: 1 })
  if (world === undefined) throw new Error('no sample')
  return world
}

/** The ways in which one content is served at once, each under its path. */
export const servings: Readonly<Record<string, Options>> = {
  '/flat': { relations: 'flat', localizations: 'wrapped', unlistedZoneElements: 'stub' },
  '/wrapped': { relations: 'wrapped', localizations: 'flat', unlistedZoneElements: 'omit' },
}

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

export interface Served {
  readonly host: Host
  /** By the paths that they are served under. */
  readonly routers: ReadonlyMap<string, ContentRouter>
  readonly database: Knex.Config
  close(): Promise<void>
}

/** What is private is so by its attribute, or, in every other type, by the list of its type. */
function listingPrivate(one: Definition): LibDefinition {
  const own = Object.entries(one.attributes)
  const names = own.filter(([, attribute]) => attribute.private === true).map(([name]) => name)
  const attributes = Object.fromEntries(
    own.map(([name, attribute]) => [name, { ...attribute, private: false }]),
  )
  const passwords = own.filter(([, { type }]) => type === 'password').map(([name]) => name)
  return { ...one, options: { ...one.options, privateAttributes: [...names, ...passwords] }, attributes }
}

/** As the router takes them. */
export const asWritten = (definitions: readonly Definition[]): LibDefinition[] =>
  definitions.map((one, index) =>
    index % 2 === 0
      ? { ...one, attributes: one.attributes as LibDefinition['attributes'] }
      : listingPrivate(one),
  )

/** What is asked of these few rows may be anything. */
const query = anyConditions

/** Who asks, told by a header, and what is granted. */
export interface Access extends Pick<ContentRouterConfig, 'extensions'> {
  readonly permissions: PermissionTable
  readonly role?: RoleFunction
}

/** Tables for the definitions in a database of their own, filled with the content and served. */
export async function serveContent(
  database: TestDatabase,
  definitions: readonly Definition[],
  content: Content,
  { permissions, role = (req) => req.get(roleHeader) ?? 'public', extensions = [] }: Access,
  onSql: (sql: string) => void = () => undefined,
): Promise<Served> {
  const created = await database.create()
  const { config } = created
  const contentTypes = asWritten(definitions)
  await migrate({ contentTypes, database: config, logger: silent })
  await seed({ contentTypes, database: config, logger: silent }, content)
  const logger: Logger = {
    ...silent,
    debug: (facts) => {
      onSql(String((facts as { sql?: unknown }).sql))
    },
  }
  const serving = { database: config, logger, query, extensions, nestedPagination: true }
  const routers = Object.entries(servings).map(([path, options]) => {
    return [path, contentRouter({ contentTypes, ...serving, role, permissions, ...options })] as const
  })
  const host = await serveRouters(Object.fromEntries(routers))
  return {
    host,
    routers: new Map(routers),
    database: config,
    close: async () => {
      await host.close()
      await Promise.all(routers.map(([, router]) => router.close()))
      await created.drop()
    },
  }
}

/** The path of a request, below that of the router. */
export function pathOf(
  definitions: readonly Definition[],
  target: { uid: string; documentId?: string },
): string {
  const type = definitions.find(({ uid }) => uid === target.uid)
  if (type === undefined) throw new Error(`no type ${target.uid}`)
  const { singularName, pluralName } = type.info
  if (type.kind === 'singleType') return `/${singularName}`
  return target.documentId === undefined ? `/${pluralName}` : `/${pluralName}/${target.documentId}`
}
