import { type Counter, statement } from './counter'

/**
 * The snapshot itself: whatever it lists as done is seen, and nothing else. Transaction numbers may come again after a
 * crash, which the reset of the statistics tells; a standby lists no running transactions, so that it cannot say.
 */
const question = statement(
  `select case when pg_is_in_recovery() then null else pg_current_snapshot()::text end,
    concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
      extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), current_database())`,
  'clock',
)

export const postgres: Counter = {
  read: async (run) => {
    const [row] = await run(question)
    const [count = null, server] = (row ?? []) as readonly (string | null)[]
    return typeof server === 'string' ? { count, server } : null
  },
  ahead: 0,
  uncounted: `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (current_schemas(false)) and (c.relkind in ('v', 'f') or exists (
      select from pg_inherits i join pg_class part on part.oid = i.inhrelid
      where i.inhparent = c.oid and part.relkind = 'f'))`,
}
