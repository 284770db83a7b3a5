import { createSecretKey } from 'node:crypto'
import { verify } from 'jsonwebtoken'
import type { Database } from '../../lib/database'
import { remember, type KnownState } from '../../lib/freshness'
import { largestId } from '../../lib/schema'
import { settingsTable } from '../../lib/tables'
import type { AskerTexts, Identity } from '../../lib/config'
import type { TokenSecrets } from './api-tokens'
import { rememberEach } from './remember-each'

interface UserRow {
  readonly blocked: unknown
  readonly confirmed: unknown
  readonly role: string | null
  readonly documentId: string | null
  readonly username: string | null
  readonly email: string | null
}

interface User {
  readonly confirmed: boolean
  readonly roles: readonly string[]
  readonly asker: AskerTexts
}

export const userTables = {
  up_users: ['id', 'document_id', 'username', 'email', 'blocked', 'confirmed'],
  up_users_role_lnk: ['user_id', 'role_id'],
  up_roles: ['id', 'type'],
  [settingsTable]: ['key', 'value'],
} as const

/** Values that permission rules can compare with. */
function askerOf(id: number, { documentId, username, email }: UserRow): AskerTexts {
  const told = Object.entries({ id: String(id), documentId, username, email })
  return new Map(told.filter((one): one is [string, string] => one[1] !== null))
}

/** MySQL and SQLite return booleans as 0 and 1. A user without a role may read nothing, like in Strapi. */
async function readUser({ knex }: Database, id: number): Promise<User | null> {
  const rows: readonly UserRow[] = await knex('up_users as account')
    .join('up_users_role_lnk as link', 'link.user_id', 'account.id')
    .join('up_roles as role', 'role.id', 'link.role_id')
    .where('account.id', id)
    .select('account.blocked as blocked', 'account.confirmed as confirmed', 'role.type as role')
    .select('account.document_id as documentId', 'account.username as username', 'account.email as email')
  const [first] = rows
  if (first === undefined || Boolean(first.blocked)) return null
  return {
    confirmed: Boolean(first.confirmed),
    roles: rows.flatMap(({ role }) => (role === null ? [] : [role])),
    asker: askerOf(id, first),
  }
}

/** Strapi stores the settings of users-permissions as JSON text. */
async function mustBeConfirmed({ knex }: Database): Promise<boolean> {
  const rows: readonly { readonly value: string | null }[] = await knex(settingsTable)
    .where({ key: 'plugin_users-permissions_advanced' })
    .select('value')
  const settings: unknown = JSON.parse(rows[0]?.value ?? 'null')
  const isSet = typeof settings === 'object' && settings !== null && 'email_confirmation' in settings
  return isSet && settings.email_confirmation === true
}

/** The user id of a token; null unless it is signed with the secret in HS256 and has not expired. */
function userOf(text: string, key: ReturnType<typeof createSecretKey>): number | null {
  try {
    // The list of algorithms rejects `none` and keys of another kind.
    const claims = verify(text, key, { algorithms: ['HS256'] })
    const id: unknown = typeof claims === 'object' ? claims['id'] : undefined
    return Number.isInteger(id) && Math.abs(Number(id)) <= largestId ? Number(id) : null
  } catch {
    return null
  }
}

const mostUsers = 1000

/** Null for a text that is no user token, and for a user who is blocked or unconfirmed. */
export function readUserTokens(
  database: Database,
  { jwtSecret, maxAge }: TokenSecrets,
): (text: string, now?: KnownState) => Promise<Identity | null> {
  const key = createSecretKey(Buffer.from(jwtSecret))
  const find = rememberEach((id) => readUser(database, Number(id)), {
    milliseconds: maxAge,
    most: mostUsers,
    tables: new Set(Object.keys(userTables)),
  })
  const confirmation = remember(() => mustBeConfirmed(database), maxAge, new Set([settingsTable]))
  return async (text, now) => {
    const id = userOf(text, key)
    const user = id === null ? null : await find(String(id), now)
    if (id === null || user === null || (!user.confirmed && (await confirmation(now)))) return null
    return { kind: 'roles', roles: user.roles, asker: user.asker, user: id }
  }
}
