import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '../../lib/database'
import type { KnownState } from '../../lib/freshness'
import type { Identity } from '../../lib/config'
import type { ValueCheck } from '../../lib/schema'
import { rememberEach } from './remember-each'

type HasRight = (uid: string, action: string) => boolean

interface ApiToken {
  /** Milliseconds since 1970; `Infinity` without an expiry. */
  readonly expiresAt: number
  readonly may: HasRight
}

interface TokenRow {
  readonly id: number
  readonly type: string | null
  /** Null before Strapi 5 had kinds of tokens: all were for the content API. */
  readonly kind: string | null
  readonly access_key: string | null
  readonly expiry: string | null
}

export const kindTable = { strapi_api_tokens: ['kind'] } as const

export const tokenTables = {
  strapi_api_tokens: ['id', 'type', 'access_key', 'expires_at'],
  strapi_api_token_permissions: ['id', 'action'],
  strapi_api_token_permissions_token_lnk: ['api_token_permission_id', 'api_token_id'],
} as const

/**
 * Text, so that no time zone applies: MySQL stores a UTC date and time, SQLite milliseconds. PostgreSQL prints dates by
 * the session's settings, so it returns milliseconds as well.
 */
const expiryOn = (dialect: Database['dialect']): string =>
  `concat(${dialect === 'postgres' ? 'extract(epoch from ??) * 1000' : '??'}, '') as ??`

function instantOf(expiry: string | null): number {
  if (expiry === null || expiry === '') return Infinity
  const milliseconds = Number(expiry)
  const read = Number.isNaN(milliseconds) ? Date.parse(`${expiry.replace(' ', 'T')}Z`) : milliseconds
  return Number.isNaN(read) ? -Infinity : read
}

/** Constant time, and byte by byte: a collation of the database may ignore case. */
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

async function rightsOf(database: Database, { id, type }: TokenRow): Promise<HasRight> {
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
  // Inside the subquery, `kind` is the column of the token or, in older releases, of the joined row.
  const kind = '(select kind from strapi_api_tokens as own where own.id = token.id) as kind'
  const rows: readonly TokenRow[] = await knex('strapi_api_tokens as token')
    .crossJoin(knex.raw('(select null as kind) as none'))
    .where({ access_key: key })
    .select('id', 'type', 'access_key', knex.raw(kind), knex.raw(expiryOn(dialect), ['expires_at', 'expiry']))
  const row = rows.find((candidate) => isKey(candidate, key))
  if (row === undefined || (row.kind ?? 'content-api') !== 'content-api') return null
  return { expiresAt: instantOf(row.expiry), may: await rightsOf(database, row) }
}

export const maxAgeCheck: ValueCheck = {
  fits: (value) => typeof value === 'number' && value >= 0,
  problem: 'the option maxAge must be a number of milliseconds, 0 or higher',
}

export interface TokenSecrets {
  readonly jwtSecret: string
  readonly apiTokenSalt: string
  readonly maxAge: number
}

const mostTokens = 1000

/** Null for a text that is no API token. */
export function readApiTokens(
  database: Database,
  { apiTokenSalt, maxAge }: TokenSecrets,
): (text: string, now?: KnownState) => Promise<Identity | 'expired' | null> {
  // The hash is the key, so memory holds no token in plain text.
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
