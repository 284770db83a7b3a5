import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../lib/config'
import type { ChangeHook, ContentChange } from './changes-options'
import { mergeChanges } from './content-change'

/** Milliseconds until a failed call is repeated, doubled each time. */
const shortest = 1000
const longest = 60_000

export interface HookCalls {
  readonly push: (change: ContentChange) => void
  readonly close: () => void
}

/** Milliseconds after which a running call counts as failed, as it holds back all later changes. */
const mostPatience = 60_000

/** The message only: other properties may hold URLs and keys of the host. */
const factsOf = (error: unknown): object => ({ problem: error instanceof Error ? error.message : 'no error' })

async function withPatience(call: () => unknown, patience: number): Promise<void> {
  const over = new AbortController()
  const tooLong = async (): Promise<never> => {
    await pause(patience, undefined, { ref: false, signal: over.signal })
    throw new Error(`the function did not end within ${String(patience)} milliseconds`)
  }
  try {
    await Promise.race([call(), tooLong()])
  } finally {
    over.abort()
  }
}

/** Calls a hook with one change at a time. Later changes are merged meanwhile, and failed ones are repeated. */
export function callHook(hook: ChangeHook, logger: Logger, patience = mostPatience): HookCalls {
  let waiting: ContentChange | null = null
  let isCalling = false
  let isClosed = false
  let wait = shortest

  const call = async (change: ContentChange): Promise<void> => {
    try {
      await withPatience(() => hook(change), patience)
      wait = shortest
    } catch (error) {
      logger.warn(
        factsOf(error),
        'the function onChange failed, and the router calls the function again with the missed changes',
      )
      waiting = waiting === null ? change : mergeChanges(change, waiting)
      await pause(wait, undefined, { ref: false })
      wait = Math.min(2 * wait, longest)
    }
  }
  const callAll = async (): Promise<void> => {
    isCalling = true
    while (waiting !== null && !isClosed) {
      const change = waiting
      waiting = null
      await call(change)
    }
    isCalling = false
  }
  return {
    push: (change) => {
      waiting = waiting === null ? change : mergeChanges(waiting, change)
      if (!isCalling) void callAll()
    },
    close: () => {
      isClosed = true
    },
  }
}
