import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../lib/database'
import { rememberEach, type StateAnswer } from '../../lib/freshness'
import type { Identity } from '../../lib/config'

type May = (uid: string, action: string) => boolean

/** A token that the database knows; it may have expired since it was read. */
interface ApiToken {
  /** Milliseconds since 1970; `Infinity` where it never does. */
  readonly expiresAt: number
  readonly may: May
}

interface TokenRow {
  readonly id: number
  readonly type: string | null
  /** Null in older Strapi 5 releases, whose tokens were all for the content API. */
  readonly kind: string | null
  readonly access_key: string | null
  readonly expiry: string | null
}

/** Older releases of Strapi 5 have no `kind`. */
export const kindTable = { strapi_api_tokens: ['kind'] } as const

/** What a token of the API is held against. */
export const tokenTables = {
  strapi_api_tokens: ['id', 'type', 'access_key', 'expires_at'],
  strapi_api_token_permissions: ['id', 'action'],
  strapi_api_token_permissions_token_lnk: ['api_token_permission_id', 'api_token_id'],
} as const

/**
 * Read as text, so that no time zone gets between: MySQL holds a UTC date and time, SQLite milliseconds, and PostgreSQL is
 * asked for these, as it prints dates by the session's settings.
 */
const expiryOn = (dialect: Database['dialect']): string =>
  `concat(${dialect === 'postgres' ? 'extract(epoch from ??) * 1000' : '??'}, '') as ??`

function instantOf(expiry: string | null): number {
  if (expiry === null || expiry === '') return Infinity
  const milliseconds = Number(expiry)
  const read = Number.isNaN(milliseconds) ? Date.parse(`${expiry.replace(' ', 'T')}Z`) : milliseconds
  return Number.isNaN(read) ? -Infinity : read
}

/** Compared byte by byte and in constant time: a database's collation would take other letters for the same. */
function isKey(row: TokenRow, key: string): boolean {
  const stored = Buffer.from(row.access_key ?? '')
  const wanted = Buffer.from(key)
  return stored.length === wanted.length && timingSafeEqual(stored, wanted)
}

async function readActions({ knex }: Database, tokenId: number): Promise<ReadonlySet<string>> {
  const rows: readonly { readonly action: string }[] = await knex(
    'strapi_api_token_permissions as permission',
  )
    .join('strapi_api_token_permissions_token_lnk as link', 'link.api_token_permission_id', 'permission.id')
    .where('link.api_token_id', tokenId)
    .select('permission.action as action')
  return new Set(rows.map(({ action }) => action))
}

async function rightsOf(database: Database, { id, type }: TokenRow): Promise<May> {
  switch (type ?? 'none') {
    case 'full-access':
      return () => true
    case 'read-only':
      return (_uid, action) => ['find', 'findOne', 'readDraft'].includes(action)
    case 'custom': {
      const actions = await readActions(database, id)
      return (uid, action) => actions.has(`${uid}.${action}`)
    }
    default:
      return () => false
  }
}

async function readToken(database: Database, key: string): Promise<ApiToken | null> {
  const { knex, dialect } = database
  // Within the subquery, `kind` is the column of the token; where there is none, that of the row joined to it.
  const kind = '(select kind from strapi_api_tokens as own where own.id = token.id) as kind'
  const rows: readonly TokenRow[] = await knex('strapi_api_tokens as token')
    .crossJoin(knex.raw('(select null as kind) as none'))
    .where({ access_key: key })
    .select('id', 'type', 'access_key', knex.raw(kind), knex.raw(expiryOn(dialect), ['expires_at', 'expiry']))
  const row = rows.find((candidate) => isKey(candidate, key))
  if (row === undefined || (row.kind ?? 'content-api') !== 'content-api') return null
  return { expiresAt: instantOf(row.expiry), may: await rightsOf(database, row) }
}

export interface ApiTokenSettings {
  readonly apiTokenSalt: string
  readonly maxAge: number
}

const mostTokens = 1000

/** What a text says as an API token: an identity, `expired`, or null where it is none. */
export function readApiTokens(
  database: Database,
  { apiTokenSalt, maxAge }: ApiTokenSettings,
): (text: string, now?: StateAnswer) => Promise<Identity | 'expired' | null> {
  // Known by their key, so that no token is kept in memory in plain text.
  const find = rememberEach((key) => readToken(database, key), {
    milliseconds: maxAge,
    most: mostTokens,
    tables: new Set(Object.keys(tokenTables)),
  })
  return async (text, now) => {
    const token = await find(createHmac('sha512', apiTokenSalt).update(text).digest('hex'), now)
    if (token === null) return null
    return token.expiresAt > Date.now() ? { kind: 'token', may: token.may } : 'expired'
  }
}
