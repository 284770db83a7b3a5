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
  uncounted: `select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any (current_schemas(false)) and (c.relkind in ('v', 'f') or exists (
      select from pg_inherits i join pg_class part on part.oid = i.inhrelid
      where i.inhparent = c.oid and part.relkind = 'f'))`,
}
