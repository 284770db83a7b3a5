import type { Run } from './run'

export interface Spread {
  readonly min: number
  readonly median: number
  readonly max: number
}

export const metrics = [
  'perSecond',
  'totalCpu',
  'nodeCpu',
  'databaseCpu',
  'statements',
  'p50',
  'p99',
  'peak',
] as const
export type Metric = (typeof metrics)[number]

export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = [...values].sort((one, other) => one - other)
  const [min] = sorted
  const max = sorted.at(-1)
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  const high = sorted[Math.ceil((sorted.length - 1) / 2)]
  if (min === undefined || max === undefined || low === undefined || high === undefined) return null
  return { min, median: (low + high) / 2, max }
}

/** One side's figures over another's, round by round: what disturbs the machine disturbs both. */
export function ratio(ours: readonly Run[], theirs: readonly Run[], metric: Metric): Spread | null {
  const ratios = ours.flatMap((run, round) => {
    const one = run[metric]
    const other = theirs[round]?.[metric]
    if (one === null || other === undefined || other === null || other === 0) return []
    return [one / other]
  })
  return spreadOf(ratios)
}

export const roundRatio = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

export const showSpread = (spread: Spread | null): string =>
  spread === null ? '–' : `${roundRatio(spread.median)} (${roundRatio(spread.min)}–${roundRatio(spread.max)})`
