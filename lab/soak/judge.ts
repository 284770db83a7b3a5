import { cpus, loadavg } from 'node:os'
import type { Outcome, Round } from './campaign'

/** What the heap may differ by: compiled code and caches that are not yet full. */
const leeway = 8_000_000

function grown(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): string[] {
  // A timer or two of the server and the pool come and go.
  return Object.entries(after)
    .filter(([name, count]) => count > (before[name] ?? 0) + 2)
    .map(([name, count]) => `${name}: ${String(before[name] ?? 0)} became ${String(count)}`)
}

function faultsOfRound({ unloaded, flood, loaded }: Round): string[] {
  const wrong = [unloaded, flood, loaded].flatMap((tally) =>
    [...tally.wrong].map(([what, count]) => `${String(count)} × ${what}`),
  )
  return [
    ...wrong,
    ...(unloaded.refused.length > 0 ? ['somebody alone was refused'] : []),
    ...(flood.served.length === 0 ? ['nothing of a flood was served'] : []),
    ...(flood.refused.length === 0 ? ['a flood was not refused'] : []),
    ...(loaded.served.length === 0 ? ['nothing was served under load'] : []),
    ...(loaded.refused.length === 0 ? ['nothing was refused under load'] : []),
  ]
}

function faultsOfEnd({ closing, ending }: Outcome): string[] {
  return [
    ...[...closing.wrong].map(([what, count]) => `${String(count)} × ${what} at the end`),
    ...(ending.unfinished > 0 ? [`${String(ending.unfinished)} in flight were not finished`] : []),
    ...(closing.refused.length === 0 ? ['nothing was refused while it ended'] : []),
  ]
}

/** Everything that was not in order. How fast it was is told, not judged. */
export function faultsOf(outcome: Outcome): readonly string[] {
  const { rounds, before, after } = outcome
  const heap =
    after.heap > before.heap + leeway ? [`the heap grew by ${String(after.heap - before.heap)}`] : []
  const listeners = after.listeners > before.listeners ? ['listeners were left'] : []
  const held = grown(before.resources, after.resources)
  return [...rounds.flatMap(faultsOfRound), ...faultsOfEnd(outcome), ...heap, ...listeners, ...held]
}

function share(times: readonly number[], part: number): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}

const shown = (times: readonly number[]): string =>
  [0.5, 0.95, 0.99].map((part) => share(times, part).toFixed(1)).join(', ')

const ratio = (one: readonly number[], other: readonly number[], part: number): string =>
  (share(one, part) / share(other, part)).toFixed(1)

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
const seconds = (one: number): string => `${one.toFixed(0)} s`

function describeRound({ unloaded, perSecond, loaded }: Round): string {
  const { served, refused } = loaded
  return `  ${perSecond.toFixed(0)} a second, ${String(served.length)} served and ${String(refused.length)} refused, ${ratio(served, unloaded.served, 0.5)} and ${ratio(served, unloaded.served, 0.95)} times\n`
}

/** Latencies are the median, 95 and 99 of 100, in milliseconds since the request was sent. */
export function describe(outcome: Outcome): string {
  const { rounds, closing, ending, before, after, asking } = outcome
  const unloaded = rounds.flatMap((round) => round.unloaded.served)
  const served = rounds.flatMap((round) => round.loaded.served)
  const refused = rounds.flatMap((round) => round.loaded.refused)
  const late = rounds.flatMap(({ lateness }) => lateness)
  const flooded = rounds.reduce((sum, { flood }) => sum + flood.served.length, 0)
  const drowned = rounds.reduce((sum, { flood }) => sum + flood.refused.length, 0)
  return `rounds: what it can serve, what became of twice as much, and latency beside the unloaded one (median, 95 of 100)
${rounds.map(describeRound).join('')}unloaded  ${String(unloaded.length)}: ${shown(unloaded)} ms
served    ${String(served.length)}: ${shown(served)} ms; ${ratio(served, unloaded, 0.5)} times the unloaded median, ${ratio(served, unloaded, 0.95)} times at 95 of 100
refused   ${String(refused.length)}: ${shown(refused)} ms
flood     ${String(flooded)} served, ${String(drowned)} refused
asked     ${shown(late)} ms after it was due, with ${seconds(asking)} of a processor
cpu       ${seconds(after.cpu - before.cpu)} of ${seconds(outcome.seconds)}; the machine's load is ${loadavg()[2]?.toFixed(1) ?? ''} on ${String(cpus().length)} cores
heap      ${megabytes(before.heap)} before, ${megabytes(after.heap)} after
held      ${JSON.stringify(before.resources)} before, ${JSON.stringify(after.resources)} after
listeners ${String(before.listeners)} before, ${String(after.listeners)} after
ended     with ${String(ending.inFlight)} in flight, of which ${String(ending.unfinished)} were not finished; ${String(closing.served.length)} served, ${String(closing.refused.length)} refused
`
}
