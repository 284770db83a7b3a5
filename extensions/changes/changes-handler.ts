import type { Request, RequestHandler, Response } from 'express'
import { overloaded, UnavailableError } from '../../lib/errors'
import { type Core, type CoreRights, onceOver, type ShownRows, shownRowsOf } from '../../lib/http'
import { areHeard, changeEvents, missedEvents, readyEvent, resetEvent } from './change-events'
import type { ChangeStream, Listener } from './change-stream'
import type { StreamOptions } from './changes-options'

const beatText = ':\n\n'

const byDefault = { maxListeners: 1000, heartbeat: 15_000 } as const

/** Bytes that somebody did not take yet. What comes beyond is not kept for him: he begins anew once he has taken them. */
const mostUnsent = 64 * 1024

interface HeardRights {
  readonly key: string
  readonly shownRows: ShownRows
}

const rightsFrom = ({ settings }: Core, rights: CoreRights): HeardRights => ({
  key: rights.grants.key,
  shownRows: shownRowsOf(settings, rights),
})

interface Outlet {
  readonly write: (text: string) => void
  /** Lets go whoever has taken nothing since it was asked the last time. */
  readonly letGo: () => void
}

/** A burst is more than anybody takes at once, and no reason to hang up on him. */
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
  /** With what came after a change; an empty id is none. */
  readonly start: (id: string) => void
  /** Shows that both sides are there. */
  readonly beat: () => void
}

/** Each event is written once it is known that he who listens may still hear it. */
function makeListener(req: Request, res: Response, { core, stream }: ListenedRouter): StartedListener {
  const { write, letGo } = outletTo(res, () => resetEvent(stream.last()))
  let rights = rightsFrom(core, core.rightsOf(req))
  let place = stream.place()
  let [isAwake, isBeating] = [false, false]

  /** What was read by other rights may not be right any more. */
  const renew = async (): Promise<void> => {
    const { key } = rights
    rights = rightsFrom(core, await core.renewRights(req))
    if (rights.key !== key) write(resetEvent(stream.last()))
  }
  const end = (): void => {
    res.end()
  }
  /**
   * Told by rights that were asked for since it happened; what happens while they are asked for shares the next. Of what he
   * may not hear they are not asked for: word of other rights would come as it is written.
   */
  const follow = async (): Promise<void> => {
    while (place < stream.place() || isBeating) {
      const news = stream.since(place)
      const beat = isBeating ? beatText : ''
      place = news.place
      isBeating = false
      if (beat === '' && !areHeard(news, rights.shownRows)) continue
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
  // What stands between is neither to keep it nor to hold it back.
  res.setHeader('Cache-Control', 'private, no-store, no-transform')
  res.setHeader('X-Accel-Buffering', 'no')
}

/** Tells whoever may ask what changes of that which he may read, as it happens. */
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
