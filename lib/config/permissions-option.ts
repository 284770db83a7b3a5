import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/** Receives log messages with the methods of pino. Log messages never contain a value of a request or a row. */
export interface Logger {
  /** Receives the SQL of each statement, with placeholders instead of values. */
  debug(facts: object, message: string): void
  /** Receives messages about normal operation. */
  info(facts: object, message: string): void
  /** Receives messages about problems that do not stop a request. */
  warn(facts: object, message: string): void
  /** Receives messages about failures, with the id of the error response. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/** Lists the types of a grant by name, such as `article` or `api::article.article`. An asterisk means all types. */
type TypeNames = readonly string[] | '*'

interface RuleOnRows {
  /** Grants the entries that match a filter. `{ $asker: 'name' }` stands for a value of the current user. */
  readonly where: object
}

interface RuleOnFields {
  /** Lists the attributes and relations that the role can read. The role can always read `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Lists the granted types, or contains `true`, `false` or a rule for each type. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** Contains the settings of the grant `aggregate`: `aggregate: { order: { minGroup: 5 } }`. */
export interface AggregateGrant {
  /** Hides groups with fewer than `minGroup` entries. */
  readonly minGroup: number
}

/** Contains the settings of the grant `export`: `export: { order: { maxRows: 10_000 } }`. */
export interface ExportGrant {
  /** Limits the number of entries of one export. */
  readonly maxRows: number
}

export interface Grant {
  /** Lists the types whose entries the role can list and populate. */
  readonly find?: Granted
  /** Lists the types whose entries the role can request one at a time. The default is the value of `find`. */
  readonly findOne?: Granted
  /** Lists the types whose drafts the role can request. */
  readonly drafts?: Granted
  /** Lists the types whose entries the role can aggregate with `aggregates()`, under the rules of `find`. */
  readonly aggregate?: TypeNames | Readonly<Record<string, boolean | AggregateGrant>>
  /** Lists the types whose entries the role can export with `listExports()`, under the rules of `find`. */
  readonly export?: TypeNames | Readonly<Record<string, boolean | ExportGrant>>
  /** Restricts the role to the queries of `namedQueries()`. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/** Returns `true`, `false` or a rule for a role, type and action. The function must be synchronous. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** Contains a value that describes the current user, such as an id. Permission rules convert the value to a string. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Contains the roles of a request, and the values of the current user that permission rules use. */
export interface AskerRoles {
  /** Contains the names of the roles. If `roles` is `null`, the router sends a 401. */
  readonly roles: string | readonly string[] | null
  /** Contains values of the current user for permission rules. A rule with a missing value grants no entries. */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Describes a table without a definition that the router reads, such as a table of permissions. */
export interface RequiredTable {
  readonly table: string
  readonly columns: readonly string[]
  /** Names the function that reads the table, such as `fromDatabase()`. */
  readonly by: string
  /** Describes another option to set if the table is missing. */
  readonly instead: string
  /** True if the table can be missing. A table that the database user cannot read is always a fault. */
  readonly isOptional?: true
}

/** Describes an option value that reads the database, such as `strapiAuth()`. */
interface DatabaseSource {
  /** Returns the faults in the options of `strapiAuth()` or `fromDatabase()`. */
  readonly check: () => readonly Fault[]
  /** Lists the tables that the option value reads. `ready()` and `check --grants` use the list. */
  readonly reads: readonly RequiredTable[]
}

/** Returns the user or token of a request, or null if the credentials are invalid. `now` is the state of the database. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Identifies callers by their headers and the database, as `strapiAuth()` does. */
export interface RoleSource extends DatabaseSource {
  /** Each router calls `open` once, with the database of the router. */
  readonly open: (database: Database) => ReadIdentity
}

export type MayDo = (action: string) => boolean

/** Looks up the grants of roles in the database, by the stored names of types and actions. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** True if `drafts` is `'open'`. Then all roles can read drafts, unless the database has grants for drafts. */
  readonly areDraftsOpen: boolean
  /** True if `role` accepts tokens, as `strapiAuth()` does. A token can have its own permissions for drafts. */
  readonly hasTokens: boolean
}

/** Reads the grants of roles from the database, as `fromDatabase()` does. */
export interface PermissionsSource extends DatabaseSource {
  /** Contains rules that limit the grants in the database to some entries or attributes. */
  readonly rules: RulesOfRoles
  /** Each router calls `open` once, with the database of the router. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: KnownState) => Promise<StoredPermissions>
  /** Returns the faults of the permissions in the database. The method `ready()` reports these faults. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** A permission table can have a role named `open`, but the grant of a role is never a function. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** Sets the response headers of a type, for browsers and caches. */
export interface TypeHeaders {
  /** Sets directives of `Cache-Control`, such as `max-age=60`. The router adds the directive `public` or `private`. */
  readonly cacheControl?: string
  /** Lists the request headers that change the response, such as the header that the function `role` reads. */
  readonly vary?: readonly string[]
  /** Allows shared caches to store responses for roles other than `public`. */
  readonly shared?: boolean
}

/** Maps the names in `$asker` to the values of the current user. */
export type AskerTexts = ReadonlyMap<string, string>

/** Describes the caller: a user with roles, or a token with its own permissions. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** Contains the id of the user, if the id is known. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
