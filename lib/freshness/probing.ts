import { RequestError } from '../errors'
import type { Schema, Warnings } from '../schema'
import { remember } from './database-state'

/** Runs a statement without bindings on one connection. */
export type RunSql = (sql: string) => Promise<readonly (readonly unknown[])[]>

export interface ProbeResult {
  /** Never repeated after a commit on this server; null if unknown. */
  readonly count: string | null
  /** One run of one server, or one file. */
  readonly server: string
  /** The value of `Follower.beside`. */
  readonly beside?: string | null
}

/** Evidence of the state that a page shows. */
export interface PageEvidence {
  readonly connection: object
  /** Read by the statement of the page; undefined without a row. */
  readonly state: unknown
  /** Read behind the page. */
  readonly shown: ProbeResult | null
  readonly isInSnapshot: boolean
}

/** Reads the state of one kind of database. */
export interface Probe {
  readonly read: (run: RunSql, connection: object, isInSnapshot?: boolean) => Promise<ProbeResult | null>
  /** The state is read behind a page, because the statement of the page cannot show it. */
  readonly isAskedBehindPage?: true
  /** Counts have a meaning on one connection only. */
  readonly isOfConnection?: true
  readonly ofPage: (page: PageEvidence) => ProbeResult | null
  /** Rejects if the server accepts connections and refuses reads. */
  readonly check?: (run: RunSql, connection: object) => Promise<void>
  /** Milliseconds by which the counter may be ahead of the visible data: it counts after standing still for so long. */
  readonly ahead: number
  /** Statements of which any value may name the product. */
  readonly about: readonly string[]
  /** Lists the tables and views whose changes the counter does not count. */
  readonly uncounted: string
}

/** The id of a state; null if it is unknown. */
export const stateOf = ({ count, server }: ProbeResult): string | null =>
  count === null ? null : `${count} ${server}`

/** Servers whose commits do not all pass through one node, by their version or an extension, function or variable. */
const signs: readonly (readonly [name: string, sign: RegExp])[] = [
  ['CockroachDB', /^CockroachDB\b/],
  ['YugabyteDB', /-YB-\d/],
  ['Citus', /^citus$/],
  ['TiDB', /-TiDB\b/i],
  ['Vitess', /-(?:Vitess|PlanetScale)\b/i],
  ['Aurora', /^aurora_version$/],
]

/** The name of a server whose counter does not count all commits; null for others. */
export const uncountedServer = (words: readonly string[]): string | null =>
  signs.find(([, sign]) => words.some((word) => sign.test(word)))?.[0] ?? null

/** Milliseconds until the tables that the counter counts are checked again. */
const rememberedFor = 30_000

/** Milliseconds between tries after a failure. */
const patience = 1000

export type OnOwnConnection = <T>(use: (run: RunSql, connection: object) => Promise<T>) => Promise<T>

export interface ProbingSettings {
  readonly schema: Schema
  readonly logger: Warnings
}

/** True for tables that responses are read from, roles and settings included. Names may be case-insensitive. */
export function readsFrom({ models }: Schema): (table: string) => boolean {
  const own = new Set<string>()
  for (const { table, physical } of models.values()) {
    own.add(table.toLowerCase())
    for (const join of physical.joinTables) own.add(join.table.toLowerCase())
  }
  return (table) => own.has(table.toLowerCase()) || /^(up|strapi)_/i.test(table)
}

async function uncountedProduct({ about }: Probe, onOwnConnection: OnOwnConnection): Promise<string | null> {
  for (const sql of about) {
    const rows = await onOwnConnection((run) => run(sql))
    const product = uncountedServer(rows.flat().map(String))
    if (product !== null) return product
  }
  return null
}

/** True if the counter counts changes of all tables that responses are read from. */
function countsAllOf(
  probe: Probe,
  onOwnConnection: OnOwnConnection,
  { schema, logger }: ProbingSettings,
): () => Promise<boolean> {
  const isRead = readsFrom(schema)
  let isLogged = false
  return remember(async () => {
    const product = await uncountedProduct(probe, onOwnConnection)
    if (product !== null) {
      if (!isLogged)
        logger.warn({ product }, 'responses are not cached, because the database does not report all commits')
      isLogged = true
      return false
    }
    const rows = await onOwnConnection((run) => run(probe.uncounted))
    const tables = rows.map(([table]) => String(table)).filter(isRead)
    if (tables.length > 0)
      logger.warn({ tables }, 'responses are not cached: the router cannot detect changes of some tables')
    return tables.length === 0 && (await onOwnConnection(probe.read)) !== null
  }, rememberedFor)
}

/** The state of a server behind a read. */
export interface LeftState {
  readonly id: string | null
  readonly server: string
}

/** The connection of a read. */
export interface StateRead {
  readonly run: RunSql
  readonly connection: object
  readonly isInSnapshot: boolean
}

function factsOf(error: unknown): { readonly name: string; readonly code?: string } {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown }
  return { name: String(name), ...(typeof code === 'string' ? { code } : {}) }
}

/** Reads the counter of a database; null if unknown. A failure is logged once, and means unknown. */
export function makeProbing(probe: Probe, onOwnConnection: OnOwnConnection, settings: ProbingSettings) {
  const { logger } = settings
  const countsAll = countsAllOf(probe, onOwnConnection, settings)
  let failedAt = -Infinity
  let isFailing = false

  const logFailure = (error: unknown): null => {
    if (error instanceof RequestError) throw error
    if (!isFailing) logger.warn(factsOf(error), 'responses are not cached: the router cannot detect commits')
    isFailing = true
    return null
  }

  return {
    read: async () => {
      try {
        if (!(await countsAll())) return null
        const shown = await onOwnConnection(probe.read)
        isFailing = false
        return shown
      } catch (error) {
        return logFailure(error)
      }
    },
    readOn: (run: RunSql, connection: object) => probe.read(run, connection).catch(logFailure),
    countsAll: async () => {
      if (performance.now() - failedAt < patience) return false
      return countsAll().catch((error: unknown) => {
        failedAt = performance.now()
        if (!(error instanceof RequestError)) logFailure(error)
        return false
      })
    },
    /** The state behind a read, on its connection; null if unknown. */
    stateBehind: async ({ run, connection, isInSnapshot }: StateRead): Promise<LeftState | null> => {
      const shown = await probe.read(run, connection, isInSnapshot).catch(logFailure)
      return shown && { id: stateOf(shown), server: shown.server }
    },
  }
}

export type Probing = ReturnType<typeof makeProbing>
