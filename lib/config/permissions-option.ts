import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/**
 * Describes your logger, which receives the log messages of the router. A log message never contains values from a
 * request or from a row of your database.
 */
export interface Logger {
  /** The router calls `debug` with the text of each SQL statement. The text contains placeholders instead of values. */
  debug(facts: object, message: string): void
  /** The router calls `info` with log messages about normal operation. */
  info(facts: object, message: string): void
  /** The router calls `warn` with log messages about problems that do not stop a request. */
  warn(facts: object, message: string): void
  /** The router calls `error` with log messages about errors, such as a failed request. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/**
 * Lists content types by name (`article`) or by uid (`api::article.article`). An asterisk (`'*'`) instead of a list
 * means all types.
 */
type TypeNames = readonly string[] | '*'

interface RuleOnRows {
  /**
   * Contains a filter: the role can read only the entries that match the filter. In the filter, `{ $asker: 'id' }`
   * stands for the value `id` of the current user.
   */
  readonly where: object
}

interface RuleOnFields {
  /** Lists the attributes and relations that the role can read. Every role can read `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Sets the granted types: a list of types, or an object with `true`, `false` or a rule for each type. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** Contains the settings of the grant `aggregate`: `aggregate: { order: { minGroup: 5 } }`. */
export interface AggregateGrant {
  /** Hides groups with fewer than `minGroup` entries from the result of an aggregate. */
  readonly minGroup: number
}

/** Contains the settings of the grant `export`: `export: { order: { maxRows: 10_000 } }`. */
export interface ExportGrant {
  /** Limits the number of entries in one export. */
  readonly maxRows: number
}

export interface Grant {
  /** Sets the types whose entries the role can read in lists and with `populate`. */
  readonly find?: Granted
  /**
   * Sets the types whose entries the role can read with requests for one entry. By default, `findOne` has the same
   * value as `find`.
   */
  readonly findOne?: Granted
  /** Sets the types whose drafts the role can read with `status=draft`. */
  readonly drafts?: Granted
  /**
   * Sets the types whose entries the role can aggregate with the extension `aggregates()`. The rules of `find` also
   * apply to aggregates.
   */
  readonly aggregate?: TypeNames | Readonly<Record<string, boolean | AggregateGrant>>
  /**
   * Sets the types whose entries the role can export with the extension `listExports()`. The rules of `find` also apply
   * to exports.
   */
  readonly export?: TypeNames | Readonly<Record<string, boolean | ExportGrant>>
  /**
   * With `queries: 'named'`, the role can send only the queries that you define with the extension `namedQueries()`.
   */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/**
 * Your permission function returns `true`, `false` or a rule for a role, a type and an action. A permission function
 * cannot return a promise.
 */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/**
 * Describes a value of the current user, such as an id. The router converts the value to a string before a permission
 * rule uses it.
 */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/**
 * Describes an object that your function `role` can return. The object contains the roles of the request, and values of
 * the current user for your permission rules.
 */
export interface AskerRoles {
  /** Sets the role of the request, or a list of roles. If `roles` is `null`, the router sends a 401. */
  readonly roles: string | readonly string[] | null
  /**
   * Sets values of the current user for your permission rules, such as `{ customerId: 1 }`. If `asker` lacks a value
   * that a rule uses, the rule grants no entries.
   */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Describes a table of Strapi without content that the router reads, such as the table of permissions. */
export interface RequiredTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly by: string
  /** Names the option to set in place of the table, for the error message if the table is missing. */
  readonly instead: string
  readonly isOptional?: true
}

interface DatabaseSource {
  /** Returns the faults in the options of `strapiAuth()` or `fromDatabase()`. */
  readonly check: () => readonly Fault[]
  /** Lists the tables that `ready()` and the command `check --grants` require. */
  readonly reads: readonly RequiredTable[]
}

/** Finds the user or the API token of a request. Returns `null` for invalid credentials. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Describes a value of the option `role` that finds users and API tokens in the database, such as `strapiAuth()`. */
export interface RoleSource extends DatabaseSource {
  /** The router calls `open` once, with its database. */
  readonly open: (database: Database) => ReadIdentity
}

export type MayDo = (action: string) => boolean

/** Returns `true` if a role has the permission for an action on a type in the database. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** True if the option `drafts` is `'open'`. */
  readonly areDraftsOpen: boolean
  /** True if the option `role` accepts API tokens. An API token can have its own right to read drafts. */
  readonly hasTokens: boolean
}

/** Describes a value of the option `permissions` that reads grants from the database, such as `fromDatabase()`. */
export interface PermissionsSource extends DatabaseSource {
  /** Contains your permission rules. A rule limits a grant in the database to some entries or attributes. */
  readonly rules: RulesOfRoles
  /** The router calls `open` once, with its database. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: KnownState) => Promise<StoredPermissions>
  /** Finds faults in the permissions that the database contains. The method `ready()` reports these faults. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** In a `permissions` object, `open` may be the name of a role, but contains an object. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** Sets the response headers for requests that read a type. */
export interface TypeHeaders {
  /**
   * Sets directives of the response header `Cache-Control`, such as `max-age=60`. The router adds the directive
   * `public` or `private` to this header.
   */
  readonly cacheControl?: string
  /** Lists the request headers that your responses depend on, such as a header that your function `role` reads. */
  readonly vary?: readonly string[]
  /** With `shared: true`, shared caches such as a CDN can also store responses for roles other than `public`. */
  readonly shared?: boolean
}

/** Values of the current user, by their names in `$asker`. */
export type AskerTexts = ReadonlyMap<string, string>

/** A user with roles, or an API token with its own permissions. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** The id of the current user; absent if it is unknown. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
