import type { RequestHandler } from 'express'
import { closing } from '../errors'

export interface InFlight {
  /** Refuses what comes after the end was announced. */
  readonly layer: RequestHandler
  /** Announces the end; resolves once no request is being answered. */
  finish(): Promise<void>
}

export function trackRequests(): InFlight {
  let count = 0
  let isEnding = false
  let waiting: (() => void)[] = []
  const end = (): void => {
    count -= 1
    if (count > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  return {
    layer: (_req, res, next) => {
      if (isEnding) {
        next(closing())
        return
      }
      count += 1
      res.once('close', end)
      next()
    },
    finish: () => {
      isEnding = true
      return count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          })
    },
  }
}
