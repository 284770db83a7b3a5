import type { Logger } from '../config'
import type { UnavailableReason } from '../errors'

const minute = 60_000
const ofRequests = { begins: 'requests get a 503', ends: 'requests no longer get a 503 with this reason' }
const lines = {
  timeout: ofRequests,
  queue: ofRequests,
  unreachable: { begins: 'the database cannot be reached', ends: 'the database can be reached again' },
  closing: ofRequests,
  database: {
    ...ofRequests,
    begins: 'the database cancelled an SQL statement, because of a database limit or an administrator',
  },
}

/** Milliseconds of reads without a 503 that end an outage: some connections may work while others fail. */
const quietFor = (reason: UnavailableReason): number => (reason === 'unreachable' ? 5000 : minute)

/** `servedAt`: the first read after the last 503. */
type Outage = Record<'since' | 'times' | 'logged' | 'loggedAt' | 'servedAt', number>

export interface OutageLog {
  /** Logs the first 503 of an outage, and then one line a minute. */
  readonly failed: (reason: UnavailableReason, facts?: object) => void
  readonly served: () => void
}

export function makeOutageLog(logger: Logger): OutageLog {
  const outages = new Map<UnavailableReason, Outage>()
  const endQuietOutages = (now: number): void => {
    for (const [reason, { since, times, servedAt }] of outages) {
      if (now - servedAt < quietFor(reason)) continue
      outages.delete(reason)
      logger.warn({ reason, times, seconds: Math.round((servedAt - since) / 1000) }, lines[reason].ends)
    }
  }
  return {
    failed: (reason, facts) => {
      const now = performance.now()
      endQuietOutages(now)
      const begun = { since: now, times: 0, logged: 0, loggedAt: -Infinity, servedAt: Infinity }
      const outage = outages.get(reason) ?? begun
      outages.set(reason, outage)
      outage.times += 1
      outage.servedAt = Infinity
      if (now - outage.loggedAt < minute) return
      logger.error({ times: outage.times - outage.logged, reason, ...facts }, lines[reason].begins)
      Object.assign(outage, { logged: outage.times, loggedAt: now })
    },
    served: () => {
      const now = performance.now()
      for (const outage of outages.values()) outage.servedAt = Math.min(outage.servedAt, now)
      endQuietOutages(now)
    },
  }
}
