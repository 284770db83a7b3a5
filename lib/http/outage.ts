import type { Logger } from '../config'

/** The database cannot be reached. Its end is logged if its beginning was. */
export interface Outage {
  readonly logged: () => void
  /** Something was read from the database. */
  readonly over: () => void
}

export function watchOutage(logger: Logger): Outage {
  let since: number | null = null
  return {
    logged: () => {
      since ??= performance.now()
    },
    over: () => {
      if (since === null) return
      const seconds = Math.round((performance.now() - since) / 1000)
      since = null
      logger.warn({ seconds }, 'the database can be reached again')
    },
  }
}
