import { readOptions, withRecording } from '../spec/support/database-run'
import { campaign, type Finding, type Outcome } from './campaign'
import { serveMagazine } from './serve'

const describe = ({ asked, fault }: Finding): string =>
  `${fault}\n  as ${asked.role}: ${asked.path.slice(0, 2_000)}\n`

function report(title: string, { asked, statuses, longest, findings }: Outcome): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${String(count)} × ${status}`)
  return [
    `${String(asked)} requests on ${title}: ${counts.join(', ')}\n`,
    `the event loop was held for at most ${longest.toFixed(0)} ms\n`,
    `${String(findings.length)} findings\n`,
    ...findings.map(describe),
  ].join('')
}

async function main(): Promise<void> {
  const { database, requests, seed } = readOptions({ requests: 20_000, seed: Date.now() % 1_000_000 })
  const outcome = await withRecording(database, async (recording, config) => {
    const target = await serveMagazine(recording, config)
    try {
      return await campaign({ requests, seed, target })
    } finally {
      await target.close()
    }
  })
  process.stdout.write(report(`${database} from seed ${String(seed)}`, outcome))
  if (outcome.findings.length > 0) process.exitCode = 1
}

void main()
