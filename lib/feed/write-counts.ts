import { type AskRows, quoted } from './ask-rows'

type ToldRows = Awaited<ReturnType<AskRows>>

/** What a server counts of writes, and which of its tables are being written to. */
export interface WriteCounts {
  /** Its status, by names in lower case. */
  readonly status: ReadonlyMap<string, string>
  /** Its clock, in seconds, and how the change clock names it. */
  readonly now: number
  readonly server: string
  /** By the names of tables in lower case; absent where nobody has opened one since the server was started. */
  readonly counts: ReadonlyMap<string, string>
  /** Counted twice, and not the same both times. */
  readonly unstable: ReadonlySet<string>
  /** Whether some transaction, also one that is prepared, may change a table, or a definition is being changed. */
  readonly isWriting: boolean
  readonly isDefining: boolean
  /** Moves with every change of a definition. */
  readonly definitions: string
  /** What is not counted because it is turned off, or finds no room. */
  readonly uncounted: readonly string[]
}

const lost = [
  'performance_schema_metadata_lock_lost',
  'performance_schema_table_handles_lost',
  'performance_schema_table_instances_lost',
  'performance_schema_thread_instances_lost',
  'performance_schema_thread_classes_lost',
  'performance_schema_table_lock_stat_lost',
]

/** Rows of the dictionary that were changed. */
const definitions = ['innodb_system_rows_deleted', 'innodb_system_rows_updated']

const listed = (names: Iterable<string>): string => [...names].map(quoted).join(', ')

/**
 * Each statement that may write to a table locks it before its first row, and that is counted. Rows themselves are counted where
 * a plan reads them, as read, if it changes them as it does so. Of names that differ in case or accents alone the whole key finds but
 * one, so that names are compared without it; its first parts find all of the schema, which takes no longer where that is small.
 * What was kept was read, and that is counted as well: a table that nobody has read was set back to nothing.
 */
const counted = (kind: string, tables: string): string => `select '${kind}', object_name,
    concat_ws(' ', count_write, sum_timer_write, count_read > 0)
  from performance_schema.table_lock_waits_summary_by_table
  where object_type = 'TABLE' and object_schema = database() and concat(object_name) in (${tables})`

/** Who only reads holds the first; who changes a definition holds the second, whatever he changes. */
const reading = `'SHARED', 'SHARED_HIGH_PRIO', 'SHARED_READ', 'SHARED_READ_ONLY'`
const defining = ['SHARED_UPGRADABLE', 'SHARED_NO_WRITE', 'SHARED_NO_READ_WRITE', 'EXCLUSIVE']

const off = (name: string, table: string, which: string): string =>
  `select 'off', ${name}, '' from performance_schema.${table} where ${which}`

/** Also counts can be emptied, which is counted a moment after they are. */
const emptied = `select 'emptied', event_name, cast(count_star as char)
  from performance_schema.events_statements_summary_global_by_event_name
  where event_name = 'statement/sql/truncate'`

/** What must be there: of what no row is, nothing is counted. */
const missing = (table: string, which: string): string =>
  `select 'off', '${table}', '' where not exists (select * from performance_schema.${table} where ${which})`

/**
 * Of a prepared transaction that has outlived its server, MySQL lists the locks by the names of files, in which what is no plain
 * letter, digit or low line comes to be a question mark, in the schema's name, the table's, or both.
 */
const locksQuestion = (tables: readonly string[]): string =>
  `select 'lock', object_name, lock_type from performance_schema.metadata_locks
    where object_type = 'TABLE' and (object_schema = database() and (lock_type in (${listed(defining)})
      ${tables.length === 0 ? '' : `or (lock_type not in (${reading}) and object_name in (${listed(tables)}))`})
    or lock_type not in (${reading}) and (locate('?', object_schema) > 0 or locate('?', object_name) > 0))`

/**
 * The order is what it rests on: all that is counted is read before the locks, and the parts of a union are read one after the
 * other. Counts are read twice, as that of a table which is just being closed may be missed once.
 */
export const countsQuestion = (
  status: readonly string[],
  tables: readonly string[],
  server: string,
): string =>
  [
    `select 'server', cast(unix_timestamp() as char), ${server}`,
    `select 'status', lower(variable_name), variable_value from performance_schema.global_status
      where variable_name in (${listed([...status, ...definitions, ...lost])})`,
    ...(tables.length === 0 ? [] : [counted('first', listed(tables)), counted('second', listed(tables))]),
    emptied,
    locksQuestion(tables),
    off(
      'name',
      'setup_consumers',
      `name in ('global_instrumentation', 'thread_instrumentation') and enabled <> 'YES'`,
    ),
    off(
      'name',
      'setup_instruments',
      `name in ('wait/lock/table/sql/handler', 'wait/lock/metadata/sql/mdl') and (enabled <> 'YES' or timed = 'NO')`,
    ),
    off(
      `concat_ws('.', object_schema, object_name)`,
      'setup_objects',
      `object_type = 'TABLE' and object_schema in (database(), '%') and (enabled <> 'YES' or timed <> 'YES')`,
    ),
    missing(
      'setup_objects',
      `object_type = 'TABLE' and cast(object_schema as binary) in (database(), '%') and object_name = '%'`,
    ),
    off(`concat_ws('@', user, host)`, 'setup_actors', `enabled <> 'YES'`),
    missing('setup_actors', `user = '%' and host = '%' and role = '%'`),
    off('name', 'threads', `instrumented <> 'YES'`),
    missing('threads', 'processlist_id = connection_id()'),
  ].join(' union all ')

/** What rows of the question say; null where something is missing of what must be there. */
export function readCounts(rows: ToldRows): WriteCounts | null {
  const of = (kind: string): readonly (readonly [name: string, value: string])[] =>
    rows.flatMap(([one, name, value]) => (one === kind ? [[String(name), String(value)] as const] : []))
  const countsOf = (kind: string): ReadonlyMap<string, string> => {
    const counts = new Map<string, string>()
    for (const [table, count] of of(kind)) {
      const name = table.toLowerCase()
      // Those that differ in case alone, in the schema's name or their own, count as one.
      counts.set(name, `${counts.get(name) ?? ''}${count};`)
    }
    return counts
  }
  const status = new Map(of('status'))
  const [first, counts] = [countsOf('first'), countsOf('second')]
  const seen = [...first.keys(), ...counts.keys()]
  const unstable = new Set(seen.filter((name) => first.get(name) !== counts.get(name)))
  const [[now, server] = []] = of('server')
  const [[, emptied] = []] = of('emptied')
  if (
    server === undefined ||
    emptied === undefined ||
    ![...definitions, ...lost].every((name) => status.has(name))
  )
    return null
  return {
    status,
    now: Number(now),
    server,
    counts,
    unstable,
    isWriting: of('lock').length > 0,
    isDefining: of('lock').some(([, type]) => defining.includes(type)),
    definitions: [...definitions.map((name) => status.get(name)), emptied].join(' '),
    uncounted: [
      ...new Set(of('off').map(([name]) => name)),
      ...lost.filter((name) => status.get(name) !== '0'),
    ],
  }
}
