import { postgresState } from '../database'
import { type Counter, statement } from './counter'

const question = statement(`select ${postgresState.count}, ${postgresState.server}`)

export const postgres: Counter = {
  read: async (run) => {
    const [row] = await run(question)
    const [count = null, server] = (row ?? []) as readonly (string | null)[]
    return typeof server === 'string' ? { count, server } : null
  },
  shown: ({ state }) => {
    if (typeof state !== 'string') return null
    const end = state.indexOf(' ')
    return { count: state.slice(0, end), server: state.slice(end + 1) }
  },
  ahead: 0,
  // What row security lets through may hang on a setting of the connection or on the time of day.
  uncounted: `with recursive below (whole, part) as (
      select inhparent, inhrelid from pg_inherits
      union select below.whole, i.inhrelid from below join pg_inherits i on i.inhparent = below.part)
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where (n.nspname = any (current_schemas(false)) or n.oid = pg_my_temp_schema()) and (
      c.relkind in ('v', 'f') or c.relpersistence = 't' or row_security_active(c.oid) or exists (
        select from below join pg_class p on p.oid = below.part where below.whole = c.oid and p.relkind = 'f'))`,
}
