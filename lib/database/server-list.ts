import type { Knex } from 'knex'
import { DatabaseError } from '../errors'
import { type HealthQuestion, lagOfServer } from './server-lag'

/** Milliseconds between two looks at a server, and what one may take. */
const betweenLooks = 1000
const patience = 1000

interface ListedPool {
  readonly used: readonly { readonly resource: ListedConnection }[]
  readonly pendingAcquires: readonly { abort(): void }[]
}

/** The drivers keep the socket at different places. */
interface ListedConnection {
  readonly stream?: { destroy(): void }
  readonly connection?: { readonly stream?: { destroy(): void } }
}

/** A pool that answers are read by, and a connection of its own to look how it is: a pool may be busy and well. */
export interface ListedPools {
  readonly reading: Knex
  readonly looking: Knex
}

interface ListedServer extends ListedPools {
  /** Its place in the list, which is all that is told of it. */
  readonly number: number
  /** What it said of itself last. */
  name: string | undefined
  isOut: boolean
  look: Promise<void> | undefined
}

/** Servers that hold the same. Each reading chooses one of those that are well. */
export interface ServerList {
  /** Rather the one that called itself so; else the next. Where none is well, any may have come back. */
  readonly pick: (name?: string) => Knex
  /** What a server said of itself on this connection. */
  readonly learn: (name: string, connection: object) => void
  /** It is left out until it is seen to be well. */
  readonly fail: (failed: Knex) => void
  readonly isWell: (knex: Knex) => boolean
  /** Looks at all of them; rejects where none is well. */
  readonly check: () => Promise<void>
  readonly all: readonly Knex[]
  readonly close: () => Promise<void>
}

export interface ServerListSettings extends HealthQuestion {
  /** Milliseconds that a server may be behind. */
  readonly maxLag: number
  readonly logger: { warn(facts: object, message: string): void; info(facts: object, message: string): void }
}

const poolOf = (knex: Knex): ListedPool | undefined => (knex.client as { readonly pool?: ListedPool }).pool

/** Whoever waits for a server that does not answer need not wait until his time is up: he is sent elsewhere. */
function cut(knex: Knex): void {
  const pool = poolOf(knex)
  for (const acquiring of [...(pool?.pendingAcquires ?? [])]) acquiring.abort()
  for (const { resource } of [...(pool?.used ?? [])]) {
    const stream = resource.stream ?? resource.connection?.stream
    stream?.destroy()
  }
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown } | null)?.code)

function looker(settings: ServerListSettings): (server: ListedServer) => Promise<void> {
  const { logger, maxLag } = settings
  const leaveOut = (server: ListedServer, reason: string): void => {
    const { number } = server
    if (!server.isOut)
      logger.warn({ server: number, reason }, 'a server of the list is left out until it is well')
    server.isOut = true
  }
  const takeBack = (server: ListedServer): void => {
    if (server.isOut) logger.info({ server: server.number }, 'a server of the list is well again')
    server.isOut = false
  }
  const look = async (server: ListedServer): Promise<void> => {
    const late = setTimeout(() => {
      leaveOut(server, 'it does not answer')
      cut(server.reading)
      cut(server.looking)
    }, patience)
    try {
      const lag = await lagOfServer(server.looking, settings)
      if (lag > maxLag) leaveOut(server, 'it is behind')
      else takeBack(server)
    } catch (error) {
      leaveOut(server, codeOf(error))
    } finally {
      clearTimeout(late)
    }
  }
  return (server) =>
    (server.look ??= look(server).finally(() => {
      server.look = undefined
    }))
}

export function makeServerList(pools: readonly ListedPools[], settings: ServerListSettings): ServerList {
  const servers = pools.map((own, number): ListedServer => {
    return { ...own, number, name: undefined, isOut: false, look: undefined }
  })
  const look = looker(settings)
  const lookAtAll = async (): Promise<void> => {
    await Promise.all(servers.map(look))
  }
  const timer = setInterval(() => void lookAtAll(), betweenLooks)
  timer.unref()
  void lookAtAll()
  let turn = 0

  const next = (): Knex => {
    const well = servers.filter(({ isOut }) => !isOut)
    const choice = well.length > 0 ? well : servers
    turn = (turn + 1) % choice.length
    return (choice[turn] as ListedServer).reading
  }
  const serverOf = (knex: Knex): ListedServer | undefined => servers.find(({ reading }) => reading === knex)

  return {
    pick: (name) => {
      const named = name === undefined ? undefined : servers.find((server) => server.name === name)
      return named?.isOut === false ? named.reading : next()
    },
    learn: (name, connection) => {
      const isIts = ({ reading }: ListedServer): boolean =>
        poolOf(reading)?.used.some(({ resource }) => resource === connection) === true
      const server = servers.find(isIts)
      if (server !== undefined) server.name = name
    },
    fail: (failed) => {
      const server = serverOf(failed)
      if (server !== undefined) server.isOut = true
    },
    isWell: (knex) => serverOf(knex)?.isOut === false,
    check: async () => {
      await lookAtAll()
      if (servers.every(({ isOut }) => isOut))
        throw new DatabaseError('UNREACHABLE', 'none of its servers is well')
    },
    all: servers.map(({ reading }) => reading),
    close: async () => {
      clearInterval(timer)
      await Promise.all(servers.flatMap(({ reading, looking }) => [reading.destroy(), looking.destroy()]))
    },
  }
}
