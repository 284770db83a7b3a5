import { RequestError } from '../errors'
import type { Schema, Warnings } from '../schema'
import type { Probe, ProbeResult, RunSql } from './probe'
import { remember } from './database-state'
import { stateOf } from './state-clock'

/**
 * Servers that accept the same SQL, but whose commits do not all pass through the node that is asked. Each is recognized by
 * its version, or by an extension, function or variable that only it has.
 */
const signs: readonly (readonly [name: string, sign: RegExp])[] = [
  ['CockroachDB', /^CockroachDB\b/],
  ['YugabyteDB', /-YB-\d/],
  ['Citus', /^citus$/],
  ['TiDB', /-TiDB\b/i],
  ['Vitess', /-(?:Vitess|PlanetScale)\b/i],
  ['Aurora', /^aurora_version$/],
]

/** The name of a server whose counter does not count all that is committed to what it reads; null of any other. */
export const uncountedServer = (words: readonly string[]): string | null =>
  signs.find(([, sign]) => words.some((word) => sign.test(word)))?.[0] ?? null

/** How long it is taken as known what the counter counts, if anything. */
const rememberedFor = 30_000

/** A database that cannot tell is not asked again by every request. */
const patience = 1000

/** Runs statements that belong to no answer, on a connection of their own. */
export type OnOwnConnection = <T>(use: (run: RunSql, connection: object) => Promise<T>) => Promise<T>

export interface ProbingSettings {
  readonly schema: Schema
  readonly logger: Warnings
}

/** The tables that answers are made from, those of roles, tokens and settings included: databases may take case lightly. */
export function readsFrom({ models }: Schema): (table: string) => boolean {
  const own = new Set<string>()
  for (const { table, physical } of models.values()) {
    own.add(table.toLowerCase())
    for (const join of physical.joinTables) own.add(join.table.toLowerCase())
  }
  return (table) => own.has(table.toLowerCase()) || /^(up|strapi)_/i.test(table)
}

/** The product that a server is, where its counter does not count all that is committed to what it reads. */
async function uncountedProduct({ about }: Probe, onOwnConnection: OnOwnConnection): Promise<string | null> {
  for (const sql of about) {
    const rows = await onOwnConnection((run) => run(sql))
    const product = uncountedServer(rows.flat().map(String))
    if (product !== null) return product
  }
  return null
}

/** Whether the counter shows something, and counts the changes of all tables that answers are made from. */
function countsAllOf(
  probe: Probe,
  onOwnConnection: OnOwnConnection,
  { schema, logger }: ProbingSettings,
): () => Promise<boolean> {
  const isRead = readsFrom(schema)
  let isTold = false
  return remember(async () => {
    const product = await uncountedProduct(probe, onOwnConnection)
    if (product !== null) {
      if (!isTold) logger.warn({ product }, 'nothing is kept, as this server does not tell of all commits')
      isTold = true
      return false
    }
    const rows = await onOwnConnection((run) => run(probe.uncounted))
    const tables = rows.map(([table]) => String(table)).filter(isRead)
    if (tables.length > 0)
      logger.warn({ tables }, 'nothing is kept, as changes to these tables are not counted')
    return tables.length === 0 && (await onOwnConnection(probe.read)) !== null
  }, rememberedFor)
}

/** In which state a server was when all had been read. */
export interface LeftState {
  /** Null where it cannot say. */
  readonly id: string | null
  readonly server: string
}

/** On which connection something was read. */
export interface StateRead {
  readonly run: RunSql
  readonly connection: object
  readonly isInSnapshot: boolean
}

/** Asks a database for its counter, and keeps what it says of servers. What fails is told once, and means "unknown". */
export interface Probing {
  /** What the counter shows. Null where it cannot be told, and nothing may be kept by it. */
  readonly read: () => Promise<ProbeResult | null>
  /** The same on a connection that is held already. */
  readonly readOn: (run: RunSql, connection: object) => Promise<ProbeResult | null>
  /** Whether the counter counts changes to all that answers are made from. */
  readonly countsAll: () => Promise<boolean>
  /** In which state what was read on a connection left the database; null where that cannot be told. */
  readonly stateBehind: (read: StateRead) => Promise<LeftState | null>
}

function factsOf(error: unknown): { readonly name: string; readonly code?: string } {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown }
  return { name: String(name), ...(typeof code === 'string' ? { code } : {}) }
}

export function makeProbing(
  probe: Probe,
  onOwnConnection: OnOwnConnection,
  settings: ProbingSettings,
): Probing {
  const { logger } = settings
  const countsAll = countsAllOf(probe, onOwnConnection, settings)
  let failedAt = -Infinity
  let isFailing = false

  const tell = (error: unknown): null => {
    if (error instanceof RequestError) throw error
    if (!isFailing) logger.warn(factsOf(error), 'the database could not tell whether it has changed')
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
        return tell(error)
      }
    },
    readOn: (run, connection) => probe.read(run, connection).catch(tell),
    countsAll: async () => {
      if (performance.now() - failedAt < patience) return false
      return countsAll().catch((error: unknown) => {
        failedAt = performance.now()
        if (!(error instanceof RequestError)) tell(error)
        return false
      })
    },
    stateBehind: async ({ run, connection, isInSnapshot }) => {
      const shown = await probe.read(run, connection, isInSnapshot).catch(tell)
      return shown && { id: stateOf(shown), server: shown.server }
    },
  }
}
