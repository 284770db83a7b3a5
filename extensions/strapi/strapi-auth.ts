import { nothingKnown } from '../../lib/access'
import type { Identity, ReadIdentity, RoleSource } from '../../lib/config'
import type { Database } from '../../lib/database'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import { kindTable, maxAgeCheck, readApiTokens, type TokenSecrets, tokenTables } from './api-tokens'
import { readUserTokens, userTables } from './user-tokens'

/** Contains the options of `strapiAuth`. */
export interface StrapiAuthOptions {
  /** Contains `plugin::users-permissions.jwtSecret` of the Strapi project, usually from `JWT_SECRET`. */
  readonly jwtSecret: string | undefined
  /** Contains `admin.apiToken.salt` of the Strapi project, usually from `API_TOKEN_SALT`. */
  readonly apiTokenSalt: string | undefined
  /**
   * Sets the time for which the rights of a token are cached, in milliseconds.
   * @default 5_000
   */
  readonly maxAge?: number
}

/** Identifies callers by tokens of Strapi's users and by API tokens. */
export interface StrapiAuth extends RoleSource {
  readonly options: StrapiAuthOptions
  /** Returns a copy that uses another role instead of `public` for requests without a token. */
  readonly withStrangers: (role: string) => StrapiAuth
}

/** Any client could sign tokens with an empty secret. */
const secret: ValueCheck = {
  fits: (value) => typeof value === 'string' && value !== '',
  problem: 'the secret is not set',
  remedy: 'set the option to the secret of the Strapi project',
}

const checks: Readonly<Record<keyof TokenSecrets, ValueCheck>> = {
  jwtSecret: secret,
  apiTokenSalt: secret,
  maxAge: maxAgeCheck,
}

/** Strapi ignores any scheme but `Bearer` with one word. */
function tokenIn(authorization: string | undefined): string | null {
  const [scheme, token, ...more] = (authorization ?? '').trim().split(/\s+/)
  if (scheme?.toLowerCase() !== 'bearer' || more.length > 0) return null
  return token ?? null
}

/** Null for bad credentials. API tokens come first, like in Strapi. */
function identityReader(database: Database, secrets: TokenSecrets, strangers: string): ReadIdentity {
  const apiToken = readApiTokens(database, secrets)
  const userToken = readUserTokens(database, secrets)
  const stranger: Identity = { kind: 'roles', roles: [strangers], asker: nothingKnown }
  return async ({ authorization }, now) => {
    const text = tokenIn(authorization)
    if (text === null) return stranger
    const found = await apiToken(text, now)
    if (found === 'expired') return null
    return found ?? userToken(text, now)
  }
}

const asked = { by: 'strapiAuth()', instead: 'set your own role: (req) => …' }

const readBy = (tables: Readonly<Record<string, readonly string[]>>): RoleSource['reads'] =>
  Object.entries(tables).map(([table, columns]) => ({ table, columns, ...asked }))

/** JavaScript callers may omit the options. */
function makeAuth(given: StrapiAuthOptions | undefined, strangers: string): StrapiAuth {
  const options = given ?? { jwtSecret: undefined, apiTokenSalt: undefined }
  const { jwtSecret = '', apiTokenSalt = '', maxAge = 5000 } = options
  const secrets = { jwtSecret, apiTokenSalt, maxAge }
  return {
    options,
    check: () => faultsOfValues('role', secrets, checks),
    reads: [
      ...readBy({ ...tokenTables, ...userTables }),
      ...readBy(kindTable).map((one) => ({ ...one, isOptional: true as const })),
    ],
    open: (database) => identityReader(database, secrets, strangers),
    withStrangers: (role) => makeAuth(options, role),
  }
}

export const isStrapiAuth = (role: unknown): role is StrapiAuth =>
  typeof role === 'object' && role !== null && 'withStrangers' in role

/**
 * Creates the value for the option `role`, which reads tokens of Strapi's users and API tokens. Without the secrets of
 * Strapi, the router does not start.
 */
export const strapiAuth = (given: StrapiAuthOptions): StrapiAuth => makeAuth(given, 'public')
