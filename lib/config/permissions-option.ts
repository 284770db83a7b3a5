import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/** A logger with the methods of pino. Facts and messages never contain a value of a request or a row. */
export interface Logger {
  /** Receives the SQL of each statement, with placeholders. */
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

/** Lists names of types (`article`, `api::article.article`). `*` stands for all types. */
type TypeNames = readonly string[] | '*'

interface RuleOnRows {
  /** Selects entries by a filter, as an object. `{ $asker: 'name' }` stands for a value of the current user. */
  readonly where: object
}

interface RuleOnFields {
  /** Lists the attributes and relations that the role may read. The role always gets `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Lists the granted types, or contains `true`, `false` or a rule for each type. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** Settings of a grant: `aggregate: { order: { minGroup: 5 } }`. */
export interface AggregateGrant {
  /** Hides groups of fewer entries. */
  readonly minGroup: number
}

export interface Grant {
  /** Lists the types whose entries the role can request in lists. The role can also populate these entries. */
  readonly find?: Granted
  /** Lists the types whose entries the role can request one at a time. The default is the value of `find`. */
  readonly findOne?: Granted
  /** Lists the types whose drafts the role can request. */
  readonly drafts?: Granted
  /** Names the types whose entries the role may aggregate, with the extension `aggregates()`. The rules of `find` apply. */
  readonly aggregate?: TypeNames | Readonly<Record<string, boolean | AggregateGrant>>
  /** Restricts the role to the queries of `namedQueries()`. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/** Returns the grant for a role, type and action, synchronously. `true` grants all entries. A rule grants some. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** Contains a value of the current user. Rules compare an attribute with this value as a string. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Contains the roles of a request, and the values of the current user that rules use. */
export interface AskerRoles {
  /** Contains the names of the roles. With `null`, the request has no role and gets a 401. */
  readonly roles: string | readonly string[] | null
  /** Contains the values of the current user that rules use. A rule grants no entries if its value is missing. */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Describes a table that the router reads for permissions. The table has no definition. */
export interface RequiredTable {
  readonly table: string
  readonly columns: readonly string[]
  /** Names the reader of the table: `fromDatabase()`. */
  readonly by: string
  /** Describes options that make the table unnecessary. */
  readonly instead: string
  /** With `true`, the table or its columns can be missing. A missing right to read them is still a fault. */
  readonly isOptional?: true
}

/** Describes the value of an option that reads the database. */
interface DatabaseSource {
  /** Returns the faults of the options of this source. */
  readonly check: () => readonly Fault[]
  /** Lists the tables that the source reads. `ready()` and the grants of the database need this list. */
  readonly reads: readonly RequiredTable[]
}

/** Returns null for invalid credentials. `now` is the state of the database at the start of the request. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Identifies callers by their headers and the database. `strapiAuth()` returns such a source. */
export interface RoleSource extends DatabaseSource {
  /** Each router calls this function once, with its database. */
  readonly open: (database: Database) => ReadIdentity
}

export type MayDo = (action: string) => boolean

/** Contains the grants of roles by the stored names of types and actions. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** True with `drafts: 'open'`: all roles can read drafts if the database has no grants for drafts. */
  readonly areDraftsOpen: boolean
  /** True if `role` is a source. Tokens of the source can have separate permissions for drafts. */
  readonly hasTokens: boolean
}

/** Reads the grants of roles from the database. `fromDatabase()` returns such a source. */
export interface PermissionsSource extends DatabaseSource {
  /** Contains the rules that narrow the grants. */
  readonly rules: RulesOfRoles
  /** Each router calls this function once, with its database. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: KnownState) => Promise<StoredPermissions>
  /** Returns faults that need a query of the database. `ready()` reports them. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** The grant of a role with the name `open` is not a function. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** Sets response headers of a type, for browsers and caches. */
export interface TypeHeaders {
  /** Sets directives of `Cache-Control`, such as `max-age=60`. The router adds `public` or `private`. */
  readonly cacheControl?: string
  /** Lists the request headers that change the response, such as the header that `role` reads. */
  readonly vary?: readonly string[]
  /** Allows shared caches to store responses for roles other than `public`. */
  readonly shared?: boolean
}

/** Contains values of the current user by their names in rules. */
export type AskerTexts = ReadonlyMap<string, string>

/** Describes a user with roles, or a token with separate rights. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** The id of the user, if it is known. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
