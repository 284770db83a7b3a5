import { cpus, loadavg } from 'node:os'
import type { Outcome } from './campaign'

/** What the heap may differ by: compiled code and caches that are not yet full. */
const leeway = 8_000_000

function grown(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>): string[] {
  // A timer or two of the server and the pool come and go.
  return Object.entries(after)
    .filter(([name, count]) => count > (before[name] ?? 0) + 2)
    .map(([name, count]) => `${name}: ${String(before[name] ?? 0)} became ${String(count)}`)
}

/** Everything that was not in order. How fast it was is told, not judged. */
export function faultsOf({ unloaded, loaded, closing, before, after }: Outcome): readonly string[] {
  const wrong = [unloaded, loaded, closing].flatMap((tally) =>
    [...tally.wrong].map(([what, count]) => `${String(count)} × ${what}`),
  )
  const heap =
    after.heap > before.heap + leeway ? [`the heap grew by ${String(after.heap - before.heap)}`] : []
  const listeners = after.listeners > before.listeners ? ['listeners were left'] : []
  const idle = [
    ...(loaded.served.length === 0 ? ['nothing was served under load'] : []),
    ...(closing.refused.length === 0 ? ['nothing was refused while it ended'] : []),
  ]
  return [...wrong, ...heap, ...listeners, ...grown(before.resources, after.resources), ...idle]
}

function share(times: readonly number[], part: number): number {
  const sorted = [...times].sort((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0
}

const shown = (times: readonly number[]): string =>
  `median ${share(times, 0.5).toFixed(1)} ms, 95 of 100 within ${share(times, 0.95).toFixed(1)} ms, 99 within ${share(times, 0.99).toFixed(1)} ms`

const times = (one: readonly number[], other: readonly number[], part: number): string =>
  (share(one, part) / share(other, part)).toFixed(1)

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

export function describe({ seconds, unloaded, perSecond, loaded, closing, before, after }: Outcome): string {
  const { served, refused } = loaded
  return `  unloaded  ${shown(unloaded.served)}
  can serve ${perSecond.toFixed(0)} a second, asked ${(2 * perSecond).toFixed(0)}
  served    ${String(served.length)}: ${shown(served)}
            ${times(served, unloaded.served, 0.5)} times the unloaded median, ${times(served, unloaded.served, 0.95)} times at 95 of 100
  refused   ${String(refused.length)}: ${shown(refused)}
  cpu       ${(after.cpu - before.cpu).toFixed(0)} s of ${seconds.toFixed(0)} s; the machine's load is ${loadavg()[1]?.toFixed(1) ?? ''} on ${String(cpus().length)} cores
  heap      ${megabytes(before.heap)} before, ${megabytes(after.heap)} after
  held      ${JSON.stringify(before.resources)} before, ${JSON.stringify(after.resources)} after
  listeners ${String(before.listeners)} before, ${String(after.listeners)} after
  ended     under load: ${String(closing.served.length)} served, ${String(closing.refused.length)} refused
`
}
