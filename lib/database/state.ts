/**
 * SQL that tells which state of the database its statement sees, and whose it is.
 *
 * The snapshot itself: whatever it lists as done is seen, and nothing else. Transaction numbers may come again after a
 * crash, which the reset of the statistics tells; a standby lists no running transactions, so that it cannot say.
 */
export const postgresState = {
  count: 'case when pg_is_in_recovery() then null else pg_current_snapshot()::text end',
  server: `concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
      extract(epoch from pg_stat_get_bgwriter_stat_reset_time()), current_database())`,
} as const

/** What others committed, and what this connection changed itself: numbers that mean something to one connection only. */
export const sqliteState = `(select d.data_version || ' ' || s.schema_version || ' ' || total_changes()
  from pragma_data_version d, pragma_schema_version s)`

/** Where a statement has been run: behind a balancer, each may be elsewhere. */
export const mysqlServer = `concat_ws(' ', @@server_id, @@hostname, @@port, database())`
