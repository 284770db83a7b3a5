import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Request, Response } from 'express'
import { once } from '../memory'

const left = new WeakMap<Socket, Set<() => void>>()

/** With one listener for a connection, however much is asked over it. */
function waitersOn(socket: Socket): Set<() => void> {
  return once(left, socket, () => {
    const waiters = new Set<() => void>()
    socket.once('close', () => {
      for (const hear of waiters) hear()
    })
    return waiters
  })
}

/** An answer that waits for those before it on its connection has none yet, and hears nothing of a client that leaves. */
const connectionAwaited = (res: Response): Socket | null => (res.socket === null ? res.req.socket : null)

/**
 * Calls when an answer was sent or its client has gone. What stands before the router and streams in place of the response
 * takes listeners to itself, and does not tell them of a client that leaves: this one is given to the response itself.
 */
export function onceOver(res: Response, listener: () => void): void {
  const awaited = connectionAwaited(res)
  if (res.closed || awaited?.destroyed === true) {
    listener()
    return
  }
  const waiters = awaited === null ? null : waitersOn(awaited)
  const hear = (): void => {
    EventEmitter.prototype.off.call(res, 'close', hear)
    waiters?.delete(hear)
    listener()
  }
  EventEmitter.prototype.on.call(res, 'close', hear)
  waiters?.add(hear)
}

/** To be asked when it is over. Node takes for finished what it could no longer send to a client that left. */
export const isSentWhole = (req: Request, res: Response): boolean =>
  res.writableFinished && !req.socket.destroyed
