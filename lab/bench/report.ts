import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchFolder } from './data/prepare'
import { type Metric, metrics, ratio, roundRatio, showSpread, type Spread, spreadOf } from './measure/ratios'
import type { Run } from './measure/run'

/** What one request cost each side, round by round. */
export interface Measured {
  readonly database: string
  readonly request: string
  readonly title: string
  readonly bytes: number
  readonly runs: Readonly<Record<string, readonly Run[]>>
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const headings: Readonly<Record<Metric, string>> = {
  perSecond: 'requests/s',
  totalCpu: 'CPU',
  nodeCpu: 'CPU Node',
  databaseCpu: 'CPU database',
  statements: 'statements',
  p50: 'p50',
  p99: 'p99',
  peak: 'memory',
}

/** Widths by sight: the dash counts as one. */
const cell = (text: string): string => text.padEnd(20)

export function sayRatios({ database, request, title, runs }: Measured, side: string): void {
  const ours = runs[side]
  if (ours === undefined) return
  say(`\n${database}, ${request}: ${title}`)
  say(`  ${cell(`${side} ÷`)}${metrics.map((metric) => cell(headings[metric])).join('')}`)
  for (const [other, theirs] of Object.entries(runs)) {
    if (other === side) continue
    say(`  ${cell(other)}${metrics.map((metric) => cell(showSpread(ratio(ours, theirs, metric)))).join('')}`)
  }
}

const medianOf = ({ runs }: Measured, side: string, metric: Metric | 'growth' | 'blocked'): number =>
  spreadOf((runs[side] ?? []).flatMap((run) => run[metric] ?? []))?.median ?? NaN

const pairs = [
  ['q1', 'q1n', 'with a total beside without'],
  ['q6', 'q1', 'page 400 beside page 1'],
  ['q7', 'q7s', '2,000 rows beside 500'],
  ['np', 'nr', '3 of each beside all of each'],
] as const

/** How one side's requests stand to each other, and what has a limit of its own. */
export function sayWithin(measured: readonly Measured[], side: string): void {
  const of = (name: string): Measured | undefined =>
    measured.find(({ request, runs }) => request === name && runs[side] !== undefined)
  for (const [one, other, what] of pairs) {
    const [first, second] = [of(one), of(other)]
    if (first === undefined || second === undefined) continue
    const parts = (['perSecond', 'totalCpu', 'nodeCpu', 'databaseCpu'] as const).flatMap((metric) => {
      const ratio = medianOf(first, side, metric) / medianOf(second, side, metric)
      return Number.isFinite(ratio) ? [`${headings[metric]} ${roundRatio(ratio)}`] : []
    })
    const bytes = `bytes ${roundRatio(first.bytes / second.bytes)}`
    say(`  ${side}, ${what} (${one} ÷ ${other}): ${[...parts, bytes].join(', ')}`)
  }
  const hundred = of('q3h')
  if (hundred !== undefined)
    say(
      `  ${side}, q3h: the event loop stood still for ${roundRatio(medianOf(hundred, side, 'blocked'))} ms at most`,
    )
}

/** What each side's process grew by in a run of a request, in bodies of its answer. */
export function sayGrowth(measured: readonly Measured[], request: string): void {
  const one = measured.find((each) => each.request === request)
  if (one === undefined) return
  const grown = Object.keys(one.runs).map(
    (side) => `${side} ${roundRatio(medianOf(one, side, 'growth') / one.bytes)}`,
  )
  say(`  ${request}: memory grew in a run, in bodies: ${grown.join(', ')}`)
}

export function sayFirstGrowth(side: string, grown: Spread | null): void {
  say(`  q7: memory that the first takes of the system, in bodies: ${side} ${showSpread(grown)}`)
}

/** A file for each run: its figures, to go on from. */
export function writeJson(kind: string, results: object): string {
  const folder = join(benchFolder, 'results')
  mkdirSync(folder, { recursive: true })
  const at = new Date().toISOString()
  const file = join(folder, `${kind}-${at.replaceAll(':', '-')}.json`)
  writeFileSync(file, `${JSON.stringify({ at, node: process.version, ...results }, null, 1)}\n`)
  return file
}

export function writeResults(kind: string, measured: readonly Measured[], side: string): string {
  const ratios = measured.map(({ database, request, runs }) => ({
    database,
    request,
    ratios: Object.fromEntries(
      Object.entries(runs)
        .filter(([other]) => other !== side)
        .map(([other, theirs]) => [
          other,
          Object.fromEntries(metrics.map((metric) => [metric, ratio(runs[side] ?? [], theirs, metric)])),
        ]),
    ),
  }))
  return writeJson(kind, { against: side, ratios, measured })
}
