import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/** Receives the log messages of the router. A log message never contains a value of a request or a row. */
export interface Logger {
  /** Receives the SQL text of each statement, with placeholders instead of values. */
  debug(facts: object, message: string): void
  /** Receives log messages about normal operation. */
  info(facts: object, message: string): void
  /** Receives log messages about problems that do not stop a request. */
  warn(facts: object, message: string): void
  /** Receives log messages about errors, such as a failed request. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/** Lists types by name, such as `article` or `api::article.article`. The value `'*'` stands for all types. */
type TypeNames = readonly string[] | '*'

interface RuleOnRows {
  /** Grants only entries that match this filter. `{ $asker: 'id' }` stands for the value `id` of the current user. */
  readonly where: object
}

interface RuleOnFields {
  /** Lists the attributes and relations that the role can read. Every role can read `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Lists the granted types, or contains `true`, `false` or a rule for each type. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** Contains the settings of the grant `aggregate`: `aggregate: { order: { minGroup: 5 } }`. */
export interface AggregateGrant {
  /** Hides groups with fewer than `minGroup` entries from the result of an aggregate. */
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
  /** Lists the types whose entries the role can request one at a time. By default, `findOne` equals `find`. */
  readonly findOne?: Granted
  /** Lists the types whose drafts the role can request. */
  readonly drafts?: Granted
  /** Lists the types whose entries the role can aggregate with `aggregates()`, under the rules of `find`. */
  readonly aggregate?: TypeNames | Readonly<Record<string, boolean | AggregateGrant>>
  /** Lists the types whose entries the role can export with `listExports()`, under the rules of `find`. */
  readonly export?: TypeNames | Readonly<Record<string, boolean | ExportGrant>>
  /** Restricts the role to the queries that you define with `namedQueries()`. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/** Returns `true`, `false` or a rule for a role, type and action. A permission function cannot return a promise. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** Contains a value of the current user, such as an id. Permission rules use this value as a string. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Contains the roles of a request, and the values of the current user that permission rules use. */
export interface AskerRoles {
  /** Contains the names of the roles of the current user. If `roles` is `null`, the router sends a 401. */
  readonly roles: string | readonly string[] | null
  /** Contains values of the current user. If a rule uses a value that `asker` lacks, the rule grants no entries. */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Describes a table of Strapi that the router reads in addition to the content, such as the table of permissions. */
export interface RequiredTable {
  readonly table: string
  readonly columns: readonly string[]
  readonly by: string
  /** Describes the option that you can set if this table is missing. */
  readonly instead: string
  /** Set `isOptional: true` for a table that the router can work without. */
  readonly isOptional?: true
}

interface DatabaseSource {
  /** Returns the faults in the options of `strapiAuth()` or `fromDatabase()`. */
  readonly check: () => readonly Fault[]
  /** Lists the tables that `strapiAuth()` or `fromDatabase()` reads. `ready()` and `check --grants` use this list. */
  readonly reads: readonly RequiredTable[]
}

/** Returns the user or token of a request, or `null` if the credentials are invalid. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Finds the user or token of a request in the database, as `strapiAuth()` does. */
export interface RoleSource extends DatabaseSource {
  /** The router calls the function `open` once, with the database that the option `database` sets. */
  readonly open: (database: Database) => ReadIdentity
}

export type MayDo = (action: string) => boolean

/** Returns `true` if the database grants an action on a type to a role. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** The router passes `true` if the option `drafts` is `'open'`. */
  readonly areDraftsOpen: boolean
  /** The router passes `true` if the option `role` accepts API tokens, which can have separate rights to drafts. */
  readonly hasTokens: boolean
}

/** Reads the grants of roles from the database, as `fromDatabase()` does. */
export interface PermissionsSource extends DatabaseSource {
  /** Contains rules that limit the grants in the database to some entries or attributes. */
  readonly rules: RulesOfRoles
  /** The router calls the function `open` once, with the database that the option `database` sets. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: KnownState) => Promise<StoredPermissions>
  /** Returns the faults that `ready()` reports about the permissions in the database. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** A source such as `fromDatabase()` has a function `open`. In a table, a role named `open` has an object. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** Sets the response headers of a type, for browsers and caches. */
export interface TypeHeaders {
  /** Sets directives of `Cache-Control`, such as `max-age=60`. The router adds `public` or `private` to the header. */
  readonly cacheControl?: string
  /** Lists the request headers that change the response, such as a header that your function `role` reads. */
  readonly vary?: readonly string[]
  /** Allows shared caches such as a CDN to store responses for roles other than `public`. */
  readonly shared?: boolean
}

/** Contains the values of the current user, by the names that rules use in `$asker`. */
export type AskerTexts = ReadonlyMap<string, string>

/** Describes who sends the request: a user with roles, or an API token with its own permissions. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** Contains the id of the current user, if the router knows this id. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
