import type { Knex } from 'knex'
import { DatabaseError } from '../errors'
import { listedPool, type ListedPool } from './listed-pool'
import { type HealthQuestion, lagOfServer } from './server-lag'

/** Milliseconds between two looks at a server, and what one may take. */
const betweenLooks = 1000
const patience = 1000

/** Those of a login, which costs more than a look on a connection that is there. */
const patienceWithLogins = 2000

/** A pool that answers are read by, and a connection of its own to look how it is: a pool may be busy and well. */
export interface ListedPools {
  readonly reading: Knex
  readonly looking: Knex
}

interface ListedServer {
  readonly reading: ListedPool
  readonly looking: ListedPool
  /** Its place in the list, which is all that is told of it. */
  readonly number: number
  /** What it said of itself last. */
  name: string | undefined
  /** Seen not to be well; the log has told so. */
  isOut: boolean
  /** How often a reading has lost it, and which of these times a look since has answered. */
  losses: number
  answered: number
  look: Promise<void> | undefined
}

/** Servers that hold the same. Each reading chooses one of those that are well. */
export interface ServerList {
  /** Rather the one that called itself so; else the next. Where none is well, any may have come back. */
  readonly pick: (name?: string) => Knex
  /** What a server said of itself on this connection. */
  readonly learn: (name: string, connection: object) => void
  /** A reading has lost it: it is left alone until it is seen to be well. */
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

const isFit = ({ isOut, losses, answered }: ListedServer): boolean => !isOut && losses === answered

/** What pools and drivers say without a code is that there is no connection. */
function reasonOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'there is no connection to it'
}

/** Both tell the log once, however often they are called. */
interface ServerStanding {
  readonly leaveOut: (server: ListedServer, reason: string) => void
  readonly takeBack: (server: ListedServer) => void
}

function standing({ logger }: ServerListSettings): ServerStanding {
  return {
    leaveOut: (server, reason) => {
      const { number, isOut } = server
      server.isOut = true
      if (isOut) return
      logger.warn({ server: number, reason }, 'a server of the list is left out until it is well')
      server.reading.dropIdle()
    },
    takeBack: (server) => {
      const { number, isOut } = server
      server.isOut = false
      if (isOut) logger.info({ server: number }, 'a server of the list is well again')
    },
  }
}

/** Looks at a server: on a connection that is made anew once one has failed. */
function looker(
  servers: readonly ListedServer[],
  settings: ServerListSettings,
): (server: ListedServer) => Promise<void> {
  const { leaveOut, takeBack } = standing(settings)
  const isAnotherFit = (server: ListedServer): boolean =>
    servers.some((other) => other !== server && isFit(other))

  /** Whoever waits for it need not wait until his time is up, if there is where to send him. */
  const giveUp = (server: ListedServer, reason: string): void => {
    leaveOut(server, reason)
    server.looking.cut()
    if (isAnotherFit(server)) server.reading.cut()
  }

  const look = async (server: ListedServer): Promise<void> => {
    // What is asked on a connection that is there says nothing of one that has to be made.
    if (server.reading.longestLogin() > patienceWithLogins && isAnotherFit(server))
      giveUp(server, 'it lets nobody in')
    const { losses } = server
    let isOver = false
    const late = setTimeout(() => {
      // Where this process was held up, what has arrived meanwhile is read first.
      setImmediate(() => {
        if (!isOver) giveUp(server, 'it does not answer')
      })
    }, patience)
    try {
      const lag = await lagOfServer(server.looking.knex, settings)
      if (lag > settings.maxLag) leaveOut(server, 'it is behind')
      else takeBack(server)
      server.answered = losses
    } catch (error) {
      giveUp(server, reasonOf(error))
    } finally {
      isOver = true
      clearTimeout(late)
    }
  }
  return (server) =>
    (server.look ??= look(server).finally(() => {
      server.look = undefined
    }))
}

const listed = ({ reading, looking }: ListedPools, number: number): ListedServer => ({
  reading: listedPool(reading),
  looking: listedPool(looking),
  number,
  name: undefined,
  isOut: false,
  losses: 0,
  answered: 0,
  look: undefined,
})

/** One after the other of those that are fit. */
function inTurns(servers: readonly ListedServer[]): () => Knex {
  let turn = 0
  return () => {
    const fit = servers.filter(isFit)
    const choice = fit.length > 0 ? fit : servers
    turn = (turn + 1) % choice.length
    return (choice[turn] as ListedServer).reading.knex
  }
}

export function makeServerList(pools: readonly ListedPools[], settings: ServerListSettings): ServerList {
  const servers = pools.map(listed)
  const look = looker(servers, settings)
  const lookAtAll = async (): Promise<void> => {
    await Promise.all(servers.map(look))
  }
  const timer = setInterval(() => void lookAtAll(), betweenLooks)
  timer.unref()
  void lookAtAll()
  const next = inTurns(servers)
  const serverOf = (knex: Knex): ListedServer | undefined =>
    servers.find(({ reading }) => reading.knex === knex)

  /** A look that is under way may have been answered before. */
  const lookAnew = async (server: ListedServer): Promise<void> => {
    await server.look
    if (server.losses !== server.answered) await look(server)
  }

  return {
    pick: (name) => {
      const named = name === undefined ? undefined : servers.find((server) => server.name === name)
      return named !== undefined && isFit(named) ? named.reading.knex : next()
    },
    learn: (name, connection) => {
      const server = servers.find(({ reading }) => reading.holds(connection))
      if (server !== undefined) server.name = name
    },
    fail: (failed) => {
      const server = serverOf(failed)
      if (server === undefined) return
      const wasFit = isFit(server)
      server.losses += 1
      if (wasFit) void lookAnew(server)
    },
    isWell: (knex) => {
      const server = serverOf(knex)
      return server !== undefined && isFit(server)
    },
    check: async () => {
      await lookAtAll()
      if (servers.every(({ isOut }) => isOut))
        throw new DatabaseError('UNREACHABLE', 'none of its servers is well')
    },
    all: servers.map(({ reading }) => reading.knex),
    close: async () => {
      clearInterval(timer)
      const all = servers.flatMap(({ reading, looking }) => [reading, looking])
      await Promise.all(
        all.map((pool) => {
          pool.dropLogins()
          return pool.knex.destroy()
        }),
      )
    },
  }
}
