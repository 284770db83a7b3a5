import autocannon from 'autocannon'
import { type Driven, type Load, nextPart } from './load'

/** The tool looks up whether it is done at every sample, so the end is told by the last answer instead. */
const sampleEvery = 25

export async function driveByAutocannon(origin: string, load: Load): Promise<Driven> {
  const { connections, amount } = load
  const begun = performance.now()
  let ended = begun
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: origin,
        connections: Math.min(connections, amount),
        amount,
        timeout: 60,
        sampleInt: sampleEvery,
        setupClient: (client) => {
          client.setRequests(nextPart(load).map((path) => ({ path })))
        },
      },
      (error: Error | null, done) => {
        if (error === null) resolve(done)
        else reject(error)
      },
    )
    instance.on('response', () => {
      ended = performance.now()
    })
  })
  const bad = result.errors + result.timeouts + result.non2xx
  if (bad > 0)
    throw new Error(`${String(bad)} of ${String(amount)} requests for ${load.paths[0] ?? ''} failed`)
  const { p50, p99 } = result.latency
  return { seconds: (ended - begun) / 1000, p50, p99 }
}
