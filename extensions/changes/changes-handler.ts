import type { Request, RequestHandler, Response } from 'express'
import { overloaded, UnavailableError } from '../../lib/errors'
import { type Core, type CoreRights, onceOver } from '../../lib/http'
import {
  areVisible,
  changeEvents,
  missedEvents,
  readyEvent,
  resetEvent,
  type ShownRows,
  shownRowsOf,
} from './change-events'
import type { ChangeStream, Listener } from './change-stream'
import type { StreamOptions } from './changes-options'

const beatText = ':\n\n'

const byDefault = { maxListeners: 1000, heartbeat: 15_000 } as const

/** Unsent bytes of a client. Later events are dropped: it gets a reset after it has read them. */
const mostUnsent = 64 * 1024

interface ListenerRights {
  readonly key: string
  readonly shownRows: ShownRows
}

const rightsFrom = ({ settings }: Core, rights: CoreRights): ListenerRights => ({
  key: rights.grants.key,
  shownRows: shownRowsOf(settings, rights),
})

interface Outlet {
  readonly write: (text: string) => void
  /** Disconnects a client that has read nothing since the last call. */
  readonly letGo: () => void
}

/** A burst alone is more than a client reads at once, and no reason to disconnect it. */
function outletTo(res: Response, anew: () => string): Outlet {
  let behind: 'no' | 'yes' | 'for long' = 'no'
  const isOver = (): boolean => res.writableEnded || res.destroyed
  const catchUp = (): void => {
    behind = 'no'
    if (!isOver()) res.write(anew())
  }
  return {
    write: (text) => {
      if (behind !== 'no' || isOver() || text === '') return
      if (res.writableLength <= mostUnsent) res.write(text)
      else {
        behind = 'yes'
        res.once('drain', catchUp)
      }
    },
    letGo: () => {
      if (behind === 'for long') res.destroy()
      else if (behind === 'yes') behind = 'for long'
    },
  }
}

interface ListenedRouter {
  readonly core: Core
  readonly stream: ChangeStream
}

interface StartedListener extends Listener {
  /** Sends the events after this id, if it is not empty. */
  readonly start: (id: string) => void
  readonly beat: () => void
}

/** The rights of the client are read again before each event is written. */
function makeListener(req: Request, res: Response, { core, stream }: ListenedRouter): StartedListener {
  const { write, letGo } = outletTo(res, () => resetEvent(stream.last()))
  let rights = rightsFrom(core, core.rightsOf(req))
  let place = stream.place()
  let [isAwake, isBeating] = [false, false]

  /** With other rights, earlier events may be wrong. */
  const renew = async (): Promise<void> => {
    const { key } = rights
    rights = rightsFrom(core, await core.renewRights(req))
    if (rights.key !== key) write(resetEvent(stream.last()))
  }
  const end = (): void => {
    res.end()
  }
  /**
   * Events are shown by rights that were read after they happened. Rights are not read again for events that are
   * invisible: a reset for new rights would show that something hidden was written.
   */
  const follow = async (): Promise<void> => {
    while (place < stream.place() || isBeating) {
      const news = stream.since(place)
      const beat = isBeating ? beatText : ''
      place = news.place
      isBeating = false
      if (beat === '' && !areVisible(news, rights.shownRows)) continue
      await renew()
      for (const event of changeEvents(news, rights.shownRows) ?? [resetEvent(stream.last())]) write(event)
      write(beat)
    }
    isAwake = false
  }
  const wake = (): void => {
    if (isAwake) return
    isAwake = true
    follow().catch(end)
  }
  return {
    wake,
    beat: () => {
      letGo()
      isBeating = true
      wake()
    },
    end,
    start: (id) => {
      const from = id === '' ? place : stream.placeOf(id)
      const missed = from === null ? null : stream.since(from)
      write(missedEvents(missed, stream.last(), rights.shownRows) + readyEvent(stream.last()))
    },
  }
}

function writeHead(res: Response): void {
  res.status(200)
  res.setHeader('Content-Type', 'text/event-stream; charset=utf-8')
  // Proxies must neither store nor buffer it.
  res.setHeader('Cache-Control', 'private, no-store, no-transform')
  res.setHeader('X-Accel-Buffering', 'no')
}

/** Sends each client the changes that it may read. */
export function changesHandler(
  router: ListenedRouter,
  { maxListeners = byDefault.maxListeners, heartbeat = byDefault.heartbeat }: StreamOptions,
): RequestHandler {
  return (req, res, next) => {
    if (req.method === 'HEAD') {
      writeHead(res)
      res.end()
      return
    }
    const listener = makeListener(req, res, router)
    const leave = router.stream.listen(listener, maxListeners)
    if (leave === null) {
      next(new UnavailableError('queue', overloaded.message))
      return
    }
    const timer = setInterval(listener.beat, heartbeat)
    onceOver(res, () => {
      clearInterval(timer)
      leave()
    })
    writeHead(res)
    res.flushHeaders()
    listener.start(req.get('Last-Event-ID') ?? '')
  }
}
