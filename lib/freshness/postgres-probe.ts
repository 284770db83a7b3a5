import type { Probe } from './probe'

/**
 * SQL of the state that its statement sees: the snapshot, and the server. Transaction numbers may be repeated after a crash,
 * which resets the statistics. A standby lists no running transactions, so that its state is unknown. The search path
 * decides which tables names mean.
 */
export const postgresState = {
  count: 'case when pg_is_in_recovery() then null else pg_current_snapshot()::text end',
  server: `concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
      extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), current_database(), current_schemas(false)::text)`,
} as const

/**
 * A standby has its place in the replayed log, which moves a moment after data become visible, and its snapshot, which does
 * not move at every commit. Before a read neither is ahead of it. In the statement of a page they would be, because they
 * are read after its snapshot was taken.
 */
const count = `case when pg_is_in_recovery()
    then 'replayed ' || pg_last_wal_replay_lsn()::text || ' ' || pg_current_snapshot()::text
    else ${postgresState.count} end`

const question = `select ${count}, ${postgresState.server}`

export const makePostgresProbe = (beside: string | null): Probe => ({
  read: async (run) => {
    const [row] = await run(beside === null ? question : `${question}, ${beside}`)
    const [shown = null, server, value = null] = (row ?? []) as readonly (string | null)[]
    if (typeof server !== 'string') return null
    return { count: shown, server, ...(beside === null ? {} : { beside: value }) }
  },
  ofPage: ({ state }) => {
    if (typeof state !== 'string') return null
    const end = state.indexOf(' ')
    return { count: state.slice(0, end), server: state.slice(end + 1) }
  },
  ahead: 0,
  about: [
    'select version()',
    `select extname::text from pg_extension where extname = 'citus'
      union all select proname::text from pg_proc where proname = 'aurora_version'`,
  ],
  // Row security may depend on a setting of the connection or on the time of day.
  uncounted: `with recursive below (whole, part) as (
      select inhparent, inhrelid from pg_inherits
      union select below.whole, i.inhrelid from below join pg_inherits i on i.inhparent = below.part)
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where (n.nspname = any (current_schemas(false)) or n.oid = pg_my_temp_schema()) and (
      c.relkind in ('v', 'f') or c.relpersistence = 't' or row_security_active(c.oid) or exists (
        select from below join pg_class p on p.oid = below.part where below.whole = c.oid and p.relkind = 'f'))`,
})
