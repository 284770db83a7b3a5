import type { IncomingHttpHeaders } from 'node:http'
import type { Request } from 'express'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { StateAnswer } from '../freshness'

/** pino's shape. Called with an object of plain facts and a sentence; never with a value from a request or a row. */
export interface Logger {
  /** What helps to follow a fault; silent where nothing is wrong. */
  debug(facts: object, message: string): void
  /** What happened and is as it should be. */
  info(facts: object, message: string): void
  /** What works, but not as it was meant. */
  warn(facts: object, message: string): void
  /** What failed, with the id that the answer has. */
  error(facts: object, message: string): void
}

export const actions = ['find', 'findOne', 'drafts'] as const

export type Action = (typeof actions)[number]
export type ReadAction = Exclude<Action, 'drafts'>

/** Names of types (`article`, `api::article.article`), or `*` for all. */
type TypeNames = readonly string[] | '*'

/** Which entries of a type a role may see. */
interface RuleOnRows {
  /** A filter in the query language, as an object. `{ $asker: 'name' }` stands for a value of whoever asks. */
  readonly where: object
}

interface RuleOnFields {
  /** The attributes that exist for the role, links too, beside `id` and `documentId`. */
  readonly fields: readonly string[]
}

export type Rule = RuleOnRows | RuleOnFields | (RuleOnRows & RuleOnFields)

/** Names of types, or for each type `true`, `false` or a rule. */
export type Granted = TypeNames | Readonly<Record<string, boolean | Rule>>

/** What a role may read. */
export interface Grant {
  /** Types that it may list, and that are shown where others lead to them. */
  readonly find?: Granted
  /** Types of which it may read one entry; where absent, as `find`. */
  readonly findOne?: Granted
  /** Types whose drafts it may ask for. */
  readonly drafts?: Granted
  /** `'named'`: the role may only use queries of the host, as the extension `namedQueries()` has them. */
  readonly queries?: 'named'
}

export type PermissionTable = Readonly<Record<string, Grant>>
/**
 * Asked of every type and action before each request, and not waited for: `true` grants, `false` does not, a rule grants
 * some entries.
 */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean | Rule

/** By the names of roles, as a database has them, and by the names of types. */
export type RulesOfRoles = Readonly<Record<string, Readonly<Record<string, boolean | Rule>>>>

export type PermissionsOption = PermissionTable | PermissionFunction | PermissionsSource

/** What of a value is compared with attributes is its text. */
export type AskerValue = string | number | bigint | boolean | Date | null | undefined

/** Whose rights a request has, and values of whoever asks for rules. */
export interface AskerRoles {
  /** Null: nobody. */
  readonly roles: string | readonly string[] | null
  /** Where it is absent, nothing is known of whoever asks, and a rule that compares with it grants nothing. */
  readonly asker?: Readonly<Record<string, AskerValue>> | null | undefined
}

export type Role = string | readonly string[] | AskerRoles | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** A table that no definition names, and that is read to know who may read what. */
export interface AskedTable {
  readonly table: string
  readonly columns: readonly string[]
  /** What reads it: `fromDatabase()`. */
  readonly by: string
  /** What the options may say for it not to be read. */
  readonly instead: string
  /** The router does without a table or column that does not exist, but not without the right to read it. */
  readonly isOptional?: true
}

/** The value of an option that an extension makes, and that reads the database. */
interface DatabaseSource {
  /** Faults of its own options, reported with all others. */
  readonly check: () => readonly Fault[]
  /** The tables that it reads, for `ready()` and for grants of the database. */
  readonly reads: readonly AskedTable[]
}

/** Null if the credentials are bad. `now` is the state of the database as the request came. */
export type ReadIdentity = (headers: IncomingHttpHeaders, now: StateAnswer) => Promise<Identity | null>

/** Knows the sender of a request by its headers and the database. Made by `strapiAuth()`. */
export interface RoleSource extends DatabaseSource {
  /** Called once by each router, with its database. */
  readonly open: (database: Database) => ReadIdentity
}

/** Whether an action of a type is granted. */
export type MayDo = (action: string) => boolean

/** Grants of a role, by the names that the database has for types and actions. */
export interface StoredPermissions {
  (role: string, uid: string, action: string): boolean
  readonly mayReadDrafts: (may: MayDo) => boolean
}

export interface PermissionReading {
  /** Whether drafts are open to all roles as long as the database has no action for them. */
  readonly areDraftsOpen: boolean
  /** Whether `role` is a source, whose tokens may have drafts of their own. */
  readonly hasTokens: boolean
}

/** Reads from the database what a role may do, as fresh as `now`. Made by `fromDatabase()`. */
export interface PermissionsSource extends DatabaseSource {
  /** Narrow what it grants. */
  readonly rules: RulesOfRoles
  /** Called once by each router, with its database. */
  readonly open: (
    database: Database,
    reading: PermissionReading,
  ) => (now: StateAnswer) => Promise<StoredPermissions>
  /** Faults that only the database knows, for `ready()`. */
  readonly checkStored: (database: Database) => Promise<readonly Fault[]>
}

const canOpen = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'open') === 'function'

export const isRoleSource = (role: unknown): role is RoleSource => canOpen(role)

/** A role of a table may be called `open`, but its grant is no function. */
export const isPermissionsSource = (permissions: PermissionsOption): permissions is PermissionsSource =>
  canOpen(permissions)

/** What browsers and caches on the way are told about answers of one type. */
export interface TypeHeaders {
  /** Directives of `Cache-Control`, such as `max-age=60`. `public` or `private` comes from the role. */
  readonly cacheControl?: string
  /** Request headers that answers depend on, such as the one that `role` reads. */
  readonly vary?: readonly string[]
  /** Answers to other roles than `public` may be kept by shared caches, too. */
  readonly shared?: boolean
}

/** What is known of whoever asks, by the names that rules compare with. */
export type AskerTexts = ReadonlyMap<string, string>

export const nothingKnown: AskerTexts = new Map()

/** Who asks: a user with roles, whose rights are in the permissions, or a token with rights of its own. */
export type Identity =
  | {
      readonly kind: 'roles'
      readonly roles: readonly string[]
      readonly asker: AskerTexts
      /** The id of the user, if it is known. */
      readonly user?: number
    }
  | { readonly kind: 'token'; may(uid: string, action: string): boolean }
