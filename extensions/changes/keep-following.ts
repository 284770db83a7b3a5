import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../lib/config'
import type { ReplicationClient } from './replication'
import {
  type FollowedLog,
  type FollowingSettings,
  startFollowing,
  type StartedFollowing,
} from './followed-log'

/** Milliseconds until the next try, doubled after each that fails or ends within its pause. */
const firstPause = 1000
const longestPause = 60_000

export interface KeepFollowingSettings extends FollowingSettings {
  readonly connect: () => Promise<ReplicationClient>
  readonly logger: Logger
}

export interface ReconnectingFeed {
  /** Null before the connection has begun, and after it has ended; the call starts it. */
  readonly now: () => FollowedLog | null
  /** The name of its slot, which may not exist yet; null without a sender. */
  readonly slot: () => Promise<string | null>
  readonly close: () => Promise<void>
}

const factsOf = (error: unknown): { readonly reason: string } => {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return { reason: typeof code === 'string' ? code : String(message) }
}

/** Starts with the first state that is read, and again after the connection ended. */
export function keepFollowing({ connect, logger, ...settings }: KeepFollowingSettings): ReconnectingFeed {
  let started: Promise<StartedFollowing> | null = null
  let following: FollowedLog | null = null
  let isClosed = false
  let isReported = false
  let isPausing = false
  let waited = 0

  const follow = async (): Promise<void> => {
    const made = await started
    if (made === null) return
    following = await made.begun
    if (isReported) logger.info({}, 'the change feed is connected again')
    isReported = false
    const since = performance.now()
    const error = await made.over
    following = null
    if (performance.now() - since > waited) waited = 0
    throw error
  }
  const run = async (): Promise<void> => {
    try {
      await follow()
    } catch (error) {
      if (isClosed) return
      started = null
      if (error === null) return
      if (!isReported)
        logger.warn(factsOf(error), 'the change feed is down: each commit invalidates all cached responses')
      isReported = true
      isPausing = true
      waited = Math.min(2 * waited || firstPause, longestPause)
      await pause(waited, undefined, { ref: false })
      isPausing = false
    }
  }

  return {
    now: () => {
      if (following?.isOver() === true) following = null
      if (started === null && !isPausing && !isClosed) {
        started = connect().then((client) => startFollowing(client, settings))
        void run()
      }
      return following
    },
    slot: async () => (await started?.catch(() => null))?.slot ?? null,
    close: async () => {
      isClosed = true
      const made = await started?.catch(() => null)
      await made?.close()
    },
  }
}
