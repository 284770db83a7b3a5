import type { Request } from 'express'

/** pino's shape. Called with an object of plain facts and a sentence; never with a value from a request or a row. */
export interface Logger {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export type Action = 'find' | 'findOne' | 'drafts'

/** Type names (`article`, `api::article.article`) or `*` for all. Where `findOne` is absent, it is as `find`. */
export type Grant = Readonly<Partial<Record<Action, readonly string[] | '*'>>>

export type PermissionTable = Readonly<Record<string, Grant>>
/** Asked of every type and action before each request, and not waited for: `true` grants, `false` does not. */
export type PermissionFunction = (role: string, uid: string, action: Action) => boolean

/** Permissions as Strapi's users-permissions plugin keeps them, read again every few seconds. Made by `fromDatabase()`. */
export interface DatabasePermissions {
  readonly source: 'database'
  readonly maxAge: number
}

export type PermissionsOption = PermissionTable | PermissionFunction | DatabasePermissions

export type Role = string | readonly string[] | null
export type RoleFunction = (req: Request) => Role | Promise<Role>

/** Who asks, told from the bearer tokens that a Strapi project hands out. Made by `strapiAuth()`. */
export interface StrapiRoles {
  readonly source: 'strapi'
  readonly jwtSecret: string
  readonly apiTokenSalt: string
  readonly maxAge: number
}

/** What browsers and caches on the way are told about answers of one type. */
export interface TypeHeaders {
  /** Directives of `Cache-Control`, such as `max-age=60`. `public` or `private` comes from the role. */
  readonly cacheControl?: string
  /** Request headers that answers depend on, such as the one that `role` reads. */
  readonly vary?: readonly string[]
  /** Answers to other roles than `public` may be kept by shared caches, too. */
  readonly shared?: boolean
}
