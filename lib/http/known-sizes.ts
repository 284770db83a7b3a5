import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../database'
import { type OnOwnConnection, remember } from '../freshness'
import { whileBusy } from '../load'
import { readTableSizes, type TableSizes, unknownSizes } from '../tables'
import type { Settings } from './settings'

/** How long the sizes of the tables are taken as known. */
const sizesAge = 600_000

/** How long counting them may take, for which the first requests wait: somebody may hold a table locked. */
export const mostCounting = 1000

/** What is known by now; on the first time, once it is read. */
export type KnownSizes = () => Promise<TableSizes>

/**
 * How much the tables hold, about. It is read for the first who asks, and from then on beside requests, which go by what was
 * read before until it is there. Where it cannot be read, all tables count as large.
 */
export function knowSizes(
  database: Database,
  { needs, logger }: Pick<Settings, 'needs' | 'logger'>,
  onOwnConnection: OnOwnConnection,
): KnownSizes {
  let sizes = unknownSizes
  let underWay: Promise<void> | null = null
  let first: Promise<unknown> | null = null

  const read = async (): Promise<void> => {
    try {
      const count = (): Promise<TableSizes> => onOwnConnection((run) => readTableSizes(run, database, needs))
      sizes = await whileBusy(count, { patience: sizesAge })
    } catch (error) {
      const { code } = error as { readonly code?: unknown }
      logger.warn({ code }, 'the tables could not be counted: queries cost what they do among large ones')
      sizes = unknownSizes
    }
  }
  const known = remember(() => {
    underWay ??= read().finally(() => {
      underWay = null
    })
    return underWay
  }, sizesAge)

  return async () => {
    const reading = known()
    first ??= Promise.race([reading, pause(mostCounting, undefined, { ref: false })])
    await first
    return sizes
  }
}
