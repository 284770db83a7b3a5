import { trouble } from './campaign'
import { isFaulty, table, type Verdict } from './judge'
import { starts } from './topologies'

/** Each blow lasts so long, and so long it goes well in between. */
const long = 10_000
const short = 1500

async function main(): Promise<void> {
  const milliseconds = process.argv.includes('--short') ? short : long
  const verdicts = new Map<string, Verdict>()
  const run = async (start: (typeof starts)[number]): Promise<void> => {
    const topology = await start()
    if (topology === undefined)
      throw new Error('not all servers are installed: bash .ci/run names the packages')
    try {
      verdicts.set(topology.name, await trouble(topology, milliseconds))
    } finally {
      await topology.stop()
    }
  }
  // Two side by side, as each waits for its servers most of the time.
  const lanes = [starts.slice(0, 3), starts.slice(3)]
  await Promise.all(
    lanes.map(async (lane) => {
      for (const start of lane) await run(start)
    }),
  )
  process.stdout.write(table(verdicts))
  if ([...verdicts.values()].some(isFaulty)) process.exitCode = 1
}

void main()
