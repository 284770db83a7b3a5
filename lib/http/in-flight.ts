import type { RequestHandler } from 'express'

export interface InFlight {
  readonly layer: RequestHandler
  /** Resolves once no request is being answered. */
  finished(): Promise<void>
}

export function trackRequests(): InFlight {
  let count = 0
  let waiting: (() => void)[] = []
  const end = (): void => {
    count -= 1
    if (count > 0) return
    for (const resolve of waiting) resolve()
    waiting = []
  }
  return {
    layer: (_req, res, next) => {
      count += 1
      res.once('close', end)
      next()
    },
    finished: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
  }
}
