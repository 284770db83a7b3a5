import type { Logger } from '../config'
import { type Database, isLost, remember } from '../database'
import { RequestError } from '../errors'
import { dialectOf, makePreparing, makeStop, type Run, type Shown, withConnection } from '../load'
import type { Schema } from '../schema'
import { type Counter, statement } from './counter'
import { mysql } from './mysql'
import { postgres } from './postgres'
import { makeSqliteCounter } from './sqlite'

/** How long it is taken as known what the counter counts, if anything. */
const rememberedFor = 30_000

/** A database that cannot tell is not asked again by every request. */
const patience = 1000

export function counterFor({ dialect }: Database): Counter {
  switch (dialect) {
    case 'sqlite':
      return makeSqliteCounter()
    case 'mysql':
      return mysql
    case 'postgres':
      return postgres
  }
}

export interface AskSettings {
  readonly schema: Schema
  readonly timeout: number
  readonly logger: Logger
}

/** The tables that answers are made from, those of roles, tokens and settings included: databases may take case lightly. */
function readsFrom({ models }: Schema): (table: string) => boolean {
  const own = new Set<string>()
  for (const { table, physical } of models.values()) {
    own.add(table.toLowerCase())
    for (const join of physical.joinTables) own.add(join.table.toLowerCase())
  }
  return (table) => own.has(table.toLowerCase()) || /^(up|strapi)_/i.test(table)
}

type UseConnection<T> = (run: Run, connection: object) => Promise<T>

/** Runs statements that belong to no plan, on a connection of their own. */
function asking(database: Database, timeout: number): <T>(use: UseConnection<T>) => Promise<T> {
  const reading = {
    database,
    dialect: dialectOf(database),
    onStatement: () => undefined,
    snapshot: false,
    prepared: makePreparing({ from: 1 }),
    watch: null,
  }
  const once = async <T>(use: UseConnection<T>): Promise<T> => {
    const stop = makeStop(timeout)
    return withConnection({ ...reading, stop }, use).finally(stop.finish)
  }
  // A file that is locked has kept everybody waiting already.
  const again = (error: unknown): boolean => database.dialect !== 'sqlite' && isLost(error)
  return (use) =>
    once(use).catch((error: unknown) => {
      if (again(error)) return once(use)
      throw error
    })
}

/** Whether the counter shows something, and counts the changes of all tables that answers are made from. */
function countsAllOf(
  counter: Counter,
  ask: <T>(use: UseConnection<T>) => Promise<T>,
  { schema, logger }: AskSettings,
): () => Promise<boolean> {
  const isRead = readsFrom(schema)
  return remember(async () => {
    const rows = await ask((run) => run(statement(counter.uncounted)))
    const tables = rows.map(([table]) => String(table)).filter(isRead)
    if (tables.length > 0)
      logger.warn({ tables }, 'nothing is kept, as changes to these tables are not counted')
    return tables.length === 0 && (await ask(counter.read)) !== null
  }, rememberedFor)
}

export interface CounterQuestions {
  /** What the database's counter shows. Null where it cannot be told, and nothing may be kept by it. */
  readonly shown: () => Promise<Shown | null>
  /** The same on a connection that is held already. */
  readonly shownOn: (run: Run, connection: object) => Promise<Shown | null>
  /** Whether the counter counts changes to all that answers are made from. */
  readonly countsAll: () => Promise<boolean>
  /** Which server a connection leads to; asked once for each. */
  readonly serverOf: (run: Run, connection: object) => Promise<string | undefined>
}

export function makeAsk(database: Database, counter: Counter, settings: AskSettings): CounterQuestions {
  const ask = asking(database, settings.timeout)
  const countsAll = countsAllOf(counter, ask, settings)
  let failedAt = -Infinity
  const servers = new WeakMap<object, string>()
  let isFailing = false

  const read = async (run: Run, connection: object): Promise<Shown | null> => {
    const shown = await counter.read(run, connection)
    if (shown !== null) servers.set(connection, shown.server)
    return shown
  }

  const tell = (error: unknown): null => {
    if (error instanceof RequestError) throw error
    const { name, code } = error as { readonly name?: unknown; readonly code?: unknown }
    const facts = { name: String(name), code: String(code) }
    if (!isFailing) settings.logger.warn(facts, 'the database could not tell whether it has changed')
    isFailing = true
    return null
  }

  return {
    shown: async () => {
      try {
        if (!(await countsAll())) return null
        const shown = await ask(read)
        isFailing = false
        return shown
      } catch (error) {
        return tell(error)
      }
    },
    shownOn: (run, connection) => read(run, connection).catch(tell),
    countsAll: async () => {
      if (performance.now() - failedAt < patience) return false
      try {
        return await countsAll()
      } catch (error) {
        failedAt = performance.now()
        if (!(error instanceof RequestError)) tell(error)
        return false
      }
    },
    serverOf: async (run, connection) =>
      servers.get(connection) ?? (await read(run, connection).catch(tell))?.server,
  }
}
