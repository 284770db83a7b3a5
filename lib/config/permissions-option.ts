import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { KnownState } from '../freshness'

/** pino's shape. Called with an object of plain facts and a sentence; never with a value from a request or a row. */
export interface Logger {
  /** Details of a fault; silent otherwise. */
  debug(facts: object, message: string): void
  /** Events of normal operation. */
  info(facts: object, message: string): void
  /** Problems that do not stop a request. */
  warn(facts: object, message: string): void
  /** Failures, with the id of the response. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/** Names of types (`article`, `api::article.article`), or `*` for all. */
type TypeNames = readonly string[] | '*'

interface RuleOnRows {
  /** A filter in the query language, as an object. `{ $asker: 'name' }` stands for a value of the current user. */
  readonly where: object
}

interface RuleOnFields {
  /** Attributes and links that exist for the role, besides `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Names of types, or for each type `true`, `false` or a rule. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

export interface Grant {
  /** Types that it may list and that are shown where they are linked. */
  readonly find?: Granted
  /** Types of which it may read one entry. The default is `find`. */
  readonly findOne?: Granted
  /** Types whose drafts it may request. */
  readonly drafts?: Granted
  /** `'named'`: the role may only use the queries of `namedQueries()`. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/** Called for every type and action of each request, synchronously. `true` grants all entries, a rule some. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** Attributes are compared with the value's text. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Roles of a request, and values of the current user for rules. */
export interface AskerRoles {
  /** Null: no role. */
  readonly roles: string | readonly string[] | null
  /** A rule that compares with a missing value grants nothing. */
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
  /** Faults of its own options, reported with all others. */
  readonly check: () => readonly Fault[]
  /** The tables that it reads, for `ready()` and for grants of the database. */
  readonly reads: readonly RequiredTable[]
}

/** Null if the credentials are invalid. `now`: the state of the database at the start of the request. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: KnownState) => Promise<Identity | null>

/** Identifies callers by headers and the database. Made by `strapiAuth()`. */
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
  /** True if all roles may read drafts while the database has no action for them. */
  readonly areDraftsOpen: boolean
  /** True if `role` is a source, whose tokens may have drafts of their own. */
  readonly hasTokens: boolean
}

/** Reads the grants of roles from the database, as fresh as `now`. Made by `fromDatabase()`. */
export interface PermissionsSource extends DatabaseSource {
  /** Rules that narrow its grants. */
  readonly rules: RulesOfRoles
  /** Called once by each router, with its database. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: KnownState) => Promise<StoredPermissions>
  /** Faults that only the database knows, for `ready()`. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** A role may be named `open`, but its grant is no function. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** Response headers of a type, for browsers and caches. */
export interface TypeHeaders {
  /** Directives of `Cache-Control`, such as `max-age=60`. `public` or `private` comes from the role. */
  readonly cacheControl?: string
  /** Request headers that responses depend on, such as the one that `role` reads. */
  readonly vary?: readonly string[]
  /** Shared caches may store responses to other roles than `public`, too. */
  readonly shared?: boolean
}

/** Values of the current user, by the names in rules. */
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
