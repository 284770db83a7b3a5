import { setTimeout as pause } from 'node:timers/promises'
import type { Knex } from 'knex'

/** Nobody reads books while this is held. */
export async function lockBooks(knex: Knex, dialect: string): Promise<() => Promise<void>> {
  const transaction = await knex.transaction()
  await transaction.raw(
    dialect === 'mysql' ? 'lock tables books write' : 'lock table books in access exclusive mode',
  )
  return async () => {
    if (dialect === 'mysql') await transaction.raw('unlock tables')
    await transaction.rollback()
  }
}

const listed = {
  // MySQL stops at a statement of another session with an emoji in it where this list is asked with conditions.
  mysql: 'show full processlist',
  postgres: `select pid, datname as db, query as info, wait_event_type as waits from pg_stat_activity where state = 'active'`,
}

interface Listed {
  readonly [column: string]: unknown
  readonly Info?: unknown
  readonly info?: unknown
}

async function listedFor(knex: Knex, dialect: 'mysql' | 'postgres'): Promise<readonly Listed[]> {
  const answer: unknown = await knex.raw(listed[dialect])
  return dialect === 'mysql' ? (answer as [Listed[]])[0] : (answer as { rows: Listed[] }).rows
}

/** Statements of MySQL or MariaDB that are being done for a user, or name something, whichever database they are about. */
export async function statementsOn(
  knex: Knex,
  which: { readonly user?: string; readonly naming?: string },
): Promise<readonly string[]> {
  const { user, naming = '' } = which
  const all = (await listedFor(knex, 'mysql')).filter(({ Command }) => Command === 'Query')
  const own = user === undefined ? all : all.filter(({ User }) => User === user)
  return own.map(({ Info }) => String(Info)).filter((text) => text.includes(naming))
}

/** What is being done in the database of `knex`. */
async function listedIn(knex: Knex, dialect: 'mysql' | 'postgres'): Promise<readonly Listed[]> {
  const rows = await listedFor(knex, dialect)
  const { config } = knex.client as { config: { connection: { database: string } } }
  return rows.filter(({ db }) => db === config.connection.database)
}

/** The connections whose statements wait for a lock. */
export async function idsThatWait(knex: Knex, dialect: 'mysql' | 'postgres'): Promise<readonly unknown[]> {
  const all = await listedIn(knex, dialect)
  return dialect === 'postgres'
    ? all.filter(({ waits }) => waits === 'Lock').map(({ pid }) => pid)
    : all.filter(({ State }) => String(State).includes('metadata lock')).map(({ Id }) => Id)
}

async function countRunning(knex: Knex, dialect: 'mysql' | 'postgres'): Promise<number> {
  // Whatever reads them: the page, its total, and how many there are.
  const all = await listedIn(knex, dialect)
  return all.filter(({ Info, info = Info }) => /[`"]books[`"]/.test(String(info))).length
}

/** Waits until so many statements that read books run in the database of `knex`, and stay as many for a moment. */
export async function untilRunning(wanted: number, knex: Knex, dialect: 'mysql' | 'postgres'): Promise<void> {
  const end = Date.now() + 10_000
  // What was sent just before may arrive after a first look.
  for (let seen = 0; seen < 10; seen = (await countRunning(knex, dialect)) === wanted ? seen + 1 : 0) {
    if (Date.now() > end) throw new Error(`not ${String(wanted)} statements for 10 seconds`)
    await pause(10)
  }
}
