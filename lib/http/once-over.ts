import { EventEmitter } from 'node:events'
import type { Request, Response } from 'express'

/**
 * Calls when an answer was sent or its client has gone. What stands before the router and streams in place of the response
 * takes listeners to itself, and does not tell them of a client that leaves: this one is given to the response itself.
 */
export function onceOver(res: Response, listener: () => void): void {
  if (res.closed) {
    listener()
    return
  }
  const hear = (): void => {
    EventEmitter.prototype.off.call(res, 'close', hear)
    listener()
  }
  EventEmitter.prototype.on.call(res, 'close', hear)
}

/** To be asked when it is over. Node takes for finished what it could no longer send to a client that left. */
export const isSentWhole = (req: Request, res: Response): boolean =>
  res.writableFinished && !req.socket.destroyed
