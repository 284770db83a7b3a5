import { readOptions, withRecording } from '../../spec/support/database-run'
import { campaign, type Finding, type Outcome } from './campaign'
import { serveMagazine } from './serve'

function describe({ asked: { path, role, behind }, fault }: Finding): string {
  const place = behind === undefined ? '' : `, behind ${behind.stack} on Express ${behind.express}`
  return `${fault}\n  as ${role}${place}: ${path.slice(0, 2_000)}\n`
}

const told = (kept: number | null): string =>
  kept === null ? '' : `${(kept / 1e6).toFixed(1)} MB more are held than after the first requests\n`

function report(title: string, { asked, statuses, longest, findings, kept }: Outcome): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${String(count)} × ${status}`)
  return [
    `${String(asked)} requests on ${title}: ${counts.join(', ')}\n`,
    `the event loop was held for at most ${longest.toFixed(0)} ms\n`,
    told(kept),
    `${String(findings.length)} findings\n`,
    ...findings.map(describe),
  ].join('')
}

async function main(): Promise<void> {
  const { database, requests, seed, megabytes } = readOptions({
    ...{ requests: 20_000, seed: Date.now() % 1_000_000 },
    // How much more may be held at the end than after the first requests; 0: as much as will.
    megabytes: 0,
  })
  const mostKept = megabytes === 0 ? Infinity : megabytes * 1e6
  const outcome = await withRecording(database, async (recording, config) => {
    const target = await serveMagazine(recording, config)
    try {
      return await campaign({ requests, seed, target, mostKept })
    } finally {
      await target.close()
    }
  })
  process.stdout.write(report(`${database} from seed ${String(seed)}`, outcome))
  if (outcome.findings.length > 0) process.exitCode = 1
}

void main()
