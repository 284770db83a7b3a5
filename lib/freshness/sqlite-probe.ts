import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { once } from '../memory'
import type { Probe, ProbeResult } from './probe'

/** Commits of others, and changes of this connection: numbers with a meaning on one connection only. */
export const sqliteState = `(select d.data_version || ' ' || s.schema_version || ' ' || total_changes()
  from pragma_data_version d, pragma_schema_version s)`

interface CountedConnection {
  readonly name: string
  readonly memory: boolean
  readonly inTransaction: boolean
}

interface KnownFile {
  readonly number: number
  readonly path: string
  /** A database in memory is its connection's own. */
  readonly file: string
}

const question = `select ${sqliteState}`

const fileAt = (path: string): string => {
  const { dev, ino } = statSync(path)
  return `${String(dev)} ${String(ino)}`
}

/** States of a connection. They end once its file is replaced by another. */
export function makeSqliteProbe(): Probe {
  const known = new WeakMap<object, KnownFile>()
  // The numbers begin again in every process.
  const process = randomUUID()
  let connections = 0

  const open = ({ name, memory }: CountedConnection): KnownFile => {
    const path = resolve(name)
    connections += 1
    return { number: connections, path, file: memory ? `${process} ${String(connections)}` : fileAt(path) }
  }

  const shownOn = (connection: object, state: unknown, isInOwn: boolean): ProbeResult => {
    const opened = connection as CountedConnection
    const { number, path, file } = once(known, connection, () => open(opened))
    const isReplaced = !opened.memory && fileAt(path) !== file
    // Changes of an open transaction are visible to this connection only.
    const says = typeof state === 'string' && !isReplaced && (isInOwn || !opened.inTransaction)
    return { count: says ? [process, number, state].join(' ') : null, server: file }
  }

  return {
    read: async (run, connection, isInSnapshot = false) =>
      shownOn(connection, (await run(question))[0]?.[0], isInSnapshot),
    isOfConnection: true,
    ofPage: ({ connection, state, isInSnapshot }) => shownOn(connection, state, isInSnapshot),
    ahead: 0,
    about: [],
    // The counters are those of the main file, not of attached ones.
    uncounted: `select t.name from pragma_table_list t
      where t.type in ('view', 'virtual') or t.schema = 'temp' or not exists (
        select 1 from main.sqlite_master m where m.name = t.name collate nocase)`,
  }
}
