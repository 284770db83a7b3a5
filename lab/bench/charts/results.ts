import { readFileSync } from 'node:fs'
import type { Metric, Spread } from '../measure/ratios'

/** One side's figures divided by those of another, as `report.ts` writes them. */
export interface Comparison {
  readonly against: string
  readonly ratios: readonly {
    readonly database: string
    readonly request: string
    readonly ratios: Readonly<Record<string, Partial<Readonly<Record<Metric, Spread | null>>>>>
  }[]
}

/** Requests per second, and the share of cache hits, as `busy.ts` writes them. */
export interface BusyResults {
  readonly loads: readonly {
    readonly load: string
    readonly sides: readonly BusySide[]
  }[]
}

export interface BusySide {
  readonly side: string
  readonly perSecond: number
  /** Absent without a cache. */
  readonly hits?: number
}

export const databaseTitles: Readonly<Record<string, string>> = {
  sqlite: 'SQLite',
  mariadb: 'MariaDB',
  mysql: 'MySQL',
  postgres: 'PostgreSQL',
}

export const readResults = (file: string): Comparison | BusyResults =>
  JSON.parse(readFileSync(file, 'utf8')) as Comparison | BusyResults

export function ratioOf(
  { ratios }: Comparison,
  [database, request, side, metric]: readonly [string, string, string, Metric],
): Spread | null {
  const row = ratios.find((one) => one.database === database && one.request === request)
  return row?.ratios[side]?.[metric] ?? null
}
