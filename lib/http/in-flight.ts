import type { RequestHandler } from 'express'
import { closing } from '../errors'
import { onceOver } from './send'

export interface InFlight {
  /** Refuses what comes after the end was announced, and what the host has begun to answer. */
  readonly layer: RequestHandler
  /** The same of what is no request; to be called is what it answers, once that is over. */
  enter(): () => void
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
  const enter = (): (() => void) => {
    if (isEnding) throw closing()
    count += 1
    return end
  }
  return {
    enter,
    layer: (_req, res, next) => {
      if (res.headersSent) {
        next(new Error('The head of the answer was sent before the content router was asked'))
        return
      }
      if (isEnding) {
        next(closing())
        return
      }
      count += 1
      onceOver(res, end)
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
