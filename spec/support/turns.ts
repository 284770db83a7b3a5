import express, { type Express, type RequestHandler } from 'express'
import { type ContentRouterConfig, contentRouter } from '../../lib'
import { type Asker, askerOf } from './asker'
import type { World } from './databases'
import { watchingSql } from './watching'

/** Counts how often the event loop has its turn, until it is stopped. */
function countTurns(): { readonly now: () => number; readonly stop: () => void } {
  let turns = 0
  let isOver = false
  const next = (): void => {
    turns += 1
    if (!isOver) setImmediate(next)
  }
  next()
  return {
    now: () => turns,
    stop: () => {
      isOver = true
    },
  }
}

/** Tells when a part of an answer is sent. */
const noticing =
  (sent: () => void): RequestHandler =>
  (_req, res, next) => {
    const seen = <Given extends unknown[], Result>(send: (...given: Given) => Result) => {
      return (...given: Given): Result => {
        sent()
        return send(...given)
      }
    }
    Object.assign(res, { write: seen(res.write.bind(res)), end: seen(res.end.bind(res)) })
    next()
  }

export interface Turning {
  readonly ask: Asker['ask']
  /** Turns of the event loop between the last statement of an answer and the first part of it that is sent. */
  readonly turnsOf: (path: string) => Promise<number>
  /** Calls once, when so many more statements have been answered. */
  readonly afterStatements: (count: number, call: () => void) => void
}

/** A host that sees when the event loop has its turn, and that itself has something to say: at `/ping`. */
export async function serveTurning(
  world: World,
  options: Partial<ContentRouterConfig>,
  tell: (event: 'ping' | 'sent') => void = () => undefined,
): Promise<Turning> {
  const { now, stop } = countTurns()
  const seen = { read: 0, sent: NaN, statements: 0, until: 0, call: (): void => undefined }
  const router = contentRouter({
    ...{ contentTypes: [], database: world.config, permissions: { public: { find: '*' } } },
    ...options,
    extensions: [
      watchingSql(() => {
        seen.read = now()
        seen.statements += 1
        if (seen.statements === seen.until) seen.call()
      }),
    ],
  })
  const app: Express = express()
  app.get('/ping', (_req, res) => {
    tell('ping')
    res.end('pong')
  })
  app.use(
    noticing(() => {
      if (!Number.isNaN(seen.sent)) return
      tell('sent')
      seen.sent = now()
    }),
  )
  app.use('/api', router)
  const asker = await askerOf(app)
  world.closing({
    close: async () => {
      stop()
      await asker.close()
      await router.close()
    },
  })
  const ask: Asker['ask'] = (...asked) => {
    seen.sent = NaN
    return asker.ask(...asked)
  }
  return {
    ask,
    turnsOf: async (path) => {
      await ask(path)
      return seen.sent - seen.read
    },
    afterStatements: (count, call) => {
      Object.assign(seen, { until: seen.statements + count, call })
    },
  }
}
