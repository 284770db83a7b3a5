import type { StrapiRoles } from '../config'
import type { Database } from '../database'
import type { StateAnswer } from '../freshness'
import type { Fault } from '../errors'
import { readApiTokens } from './api-tokens'
import { type Identity, nothingKnown } from './identity'
import { readUserTokens } from './user-tokens'

export interface StrapiAuthOptions {
  /** `plugin::users-permissions.jwtSecret` of the Strapi project, its `JWT_SECRET`. */
  readonly jwtSecret: string | undefined
  /** `admin.apiToken.salt` of the Strapi project, its `API_TOKEN_SALT`. */
  readonly apiTokenSalt: string | undefined
  /**
   * How long, in milliseconds, what the database says about a token is taken as known.
   * @default 5_000
   */
  readonly maxAge?: number
}

const nothingSaid: StrapiAuthOptions = { jwtSecret: undefined, apiTokenSalt: undefined }

/** For the `role` option: roles of Strapi's users, and its API tokens. The router refuses to start without the secrets. */
export function strapiAuth(given: StrapiAuthOptions): StrapiRoles {
  const { jwtSecret, apiTokenSalt, maxAge = 5000 } = (given as StrapiAuthOptions | undefined) ?? nothingSaid
  return { source: 'strapi', jwtSecret: jwtSecret ?? '', apiTokenSalt: apiTokenSalt ?? '', maxAge }
}

/** Tokens signed with an empty secret could be made by any client. */
export function faultsOfStrapiAuth({ jwtSecret, apiTokenSalt, maxAge }: StrapiRoles): Fault[] {
  const secrets: readonly (readonly [string, unknown])[] = Object.entries({ jwtSecret, apiTokenSalt })
  const missing = secrets.flatMap(([name, value]): Fault[] =>
    typeof value === 'string' && value !== ''
      ? []
      : [{ where: `role.${name}`, problem: 'is not set', remedy: 'strapiAuth needs it from the project' }],
  )
  const wrongAge: Fault[] =
    typeof maxAge === 'number' && maxAge >= 0
      ? []
      : [{ where: 'role.maxAge', problem: 'is not a number of milliseconds' }]
  return [...missing, ...wrongAge]
}

const stranger = ({ strangers = 'public' }: StrapiRoles): Identity => ({
  kind: 'roles',
  roles: [strangers],
  asker: nothingKnown,
})

/** As Strapi reads it: anything but `Bearer` and one word says nothing. */
function tokenIn(authorization: string | undefined): string | null {
  const [scheme, token, ...more] = (authorization ?? '').trim().split(/\s+/)
  if (scheme?.toLowerCase() !== 'bearer' || more.length > 0) return null
  return token ?? null
}

/** Who a header speaks for; null where its credentials are bad. API tokens come first, as in Strapi. */
export function readIdentities(
  database: Database,
  roles: StrapiRoles,
): (authorization: string | undefined, now?: StateAnswer) => Promise<Identity | null> {
  const apiToken = readApiTokens(database, roles)
  const userToken = readUserTokens(database, roles)
  const nobody = stranger(roles)
  return async (authorization, now) => {
    const text = tokenIn(authorization)
    if (text === null) return nobody
    const found = await apiToken(text, now)
    if (found === 'expired') return null
    return found ?? userToken(text, now)
  }
}
