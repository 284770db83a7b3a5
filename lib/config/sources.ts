import type { IncomingHttpHeaders } from 'node:http'
import type { Database } from '../database'
import type { Fault } from '../errors'
import type { StateAnswer } from '../freshness'
import type { Identity } from './identity'
import type { PermissionsOption, RulesOfRoles } from './permissions-option'

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
