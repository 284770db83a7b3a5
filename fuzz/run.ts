import { parseArgs } from 'node:util'
import { recordingOf } from '../spec/support/recordings'
import { databaseNames, type DatabaseName, startServers, stopServers } from '../spec/support/servers'
import { stores } from '../spec/support/stores'
import { campaign, type Finding, type Outcome } from './campaign'
import { serveMagazine } from './serve'

interface Options {
  readonly requests: number
  readonly database: DatabaseName
  readonly seed: number
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '20000' },
      database: { type: 'string', default: 'sqlite' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    },
  })
  const database = databaseNames.find((name) => name === values.database)
  const [requests, seed] = [Number(values.requests), Number(values.seed)]
  if (database === undefined || !Number.isInteger(requests) || !Number.isInteger(seed)) {
    throw new Error(`--requests <whole number> --database ${databaseNames.join('|')} --seed <whole number>`)
  }
  return { requests, database, seed }
}

const describe = ({ asked, fault }: Finding): string =>
  `${fault}\n  as ${asked.role}: ${asked.path.slice(0, 2_000)}\n`

function report({ database, seed }: Options, { asked, statuses, longest, findings }: Outcome): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${String(count)} × ${status}`)
  return [
    `${String(asked)} requests on ${database} from seed ${String(seed)}: ${counts.join(', ')}\n`,
    `the event loop was held for at most ${longest.toFixed(0)} ms\n`,
    `${String(findings.length)} findings\n`,
    ...findings.map(describe),
  ].join('')
}

async function run(options: Options): Promise<Outcome> {
  const { database } = options
  process.env['DATABASES'] = database
  await startServers()
  const store = stores[database]
  const config = await store.create()
  try {
    await store.restore(config, recordingOf(database).dump)
    const target = await serveMagazine(recordingOf(database), config)
    try {
      return await campaign({ ...options, target })
    } finally {
      await target.close()
    }
  } finally {
    await store.drop(config)
    await stopServers()
  }
}

async function main(): Promise<void> {
  const options = readOptions()
  const outcome = await run(options)
  process.stdout.write(report(options, outcome))
  if (outcome.findings.length > 0) process.exitCode = 1
}

void main()
