import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/** A logger with the methods of pino. Facts and messages never contain a value of a request or a row. */
export interface Logger {
  /** Receives the SQL of each statement, with placeholders. */
  debug(facts: object, message: string): void
  /** Receives events of normal operation. */
  info(facts: object, message: string): void
  /** Receives problems that do not stop a request. */
  warn(facts: object, message: string): void
  /** Receives failures, with the id of the response. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/** Names of types (`article`, `api::article.article`), or `*` for all. */
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

/** Names the granted types, or sets `true`, `false` or a rule for each type. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** Settings of a grant: `aggregate: { order: { minGroup: 5 } }`. */
export interface AggregateGrant {
  /** Hides groups of fewer entries. */
  readonly minGroup: number
}

export interface Grant {
  /** Names the types whose entries the role may list. The role can also populate entries of these types. */
  readonly find?: Granted
  /** Names the types whose entries the role may request one at a time. The default is the value of `find`. */
  readonly findOne?: Granted
  /** Names the types whose drafts the role may request. */
  readonly drafts?: Granted
  /** Names the types whose entries the role may aggregate, with the extension `aggregates()`. The rules of `find` apply. */
  readonly aggregate?: TypeNames | Readonly<Record<string, boolean | AggregateGrant>>
  /** Restricts the role to the queries of `namedQueries()`. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/** Decides synchronously on each type and action of a request. `true` grants all entries, a rule some of them. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** A value of the current user. Rules compare an attribute with the text of this value. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Contains the roles of a request, and the values of the current user that rules use. */
export interface AskerRoles {
  /** Names the roles. `null`: the request has no role, and gets a 401. */
  readonly roles: string | readonly string[] | null
  /** Contains the values of the current user that rules use. A rule grants nothing if its value is missing. */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** A table without a definition, read for permissions. */
export interface RequiredTable {
  readonly table: string
  readonly columns: readonly string[]
  /** The reader: `fromDatabase()`. */
  readonly by: string
  /** Options that make the table unnecessary. */
  readonly instead: string
  /** A missing table or column is allowed, a missing right is not. */
  readonly isOptional?: true
}

/** An option's value that reads the database. */
interface DatabaseSource {
  /** Returns the faults of the source's options. */
  readonly check: () => readonly Fault[]
  /** Lists the tables that the source reads. `ready()` and the grants of the database need this list. */
  readonly reads: readonly RequiredTable[]
}

/** Returns null for invalid credentials. `now`: the state of the database at the start of the request. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Identifies callers by their headers and the database. `strapiAuth()` returns such a source. */
export interface RoleSource extends DatabaseSource {
  /** Called once by each router, with its database. */
  readonly open: (database: Database) => ReadIdentity
}

export type MayDo = (action: string) => boolean

/** Grants of a role by the stored names of types and actions. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** True with `drafts: 'open'`: all roles may read drafts, unless the database has permissions for drafts. */
  readonly areDraftsOpen: boolean
  /** True if `role` is a source. Its tokens may have their own permissions for drafts. */
  readonly hasTokens: boolean
}

/** Reads the grants of roles from the database. `fromDatabase()` returns such a source. */
export interface PermissionsSource extends DatabaseSource {
  /** Contains the rules that narrow the grants. */
  readonly rules: RulesOfRoles
  /** Called once by each router, with its database. */
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

/** A role may be named `open`, but its grant is no function. */
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

/** Contains values of the current user. The keys are the names in rules. */
export type AskerTexts = ReadonlyMap<string, string>

/** A user with roles, or a token with its own rights. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** The id of the user, if it is known. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
