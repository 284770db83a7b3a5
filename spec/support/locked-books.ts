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

const running = {
  mysql: `select count(*) as count from information_schema.processlist where db = database() and info like '%from \`books\`%' and info not like '%processlist%'`,
  postgres: `select count(*) as count from pg_stat_activity where datname = current_database() and state = 'active' and query like '%from "books"%' and query not like '%pg_stat_activity%'`,
}

async function countRunning(knex: Knex, dialect: 'mysql' | 'postgres'): Promise<number> {
  const answer: unknown = await knex.raw(running[dialect])
  const rows = dialect === 'mysql' ? (answer as [unknown[]])[0] : (answer as { rows: unknown[] }).rows
  return Number((rows[0] as { count: unknown }).count)
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
