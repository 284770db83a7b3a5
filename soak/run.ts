import { parseArgs } from 'node:util'
import { recordingOf } from '../spec/support/recordings'
import { databaseNames, type DatabaseName, startServers, stopServers } from '../spec/support/servers'
import { stores } from '../spec/support/stores'
import { type Outcome, soak } from './campaign'
import { describe, faultsOf } from './judge'

interface Options {
  readonly database: DatabaseName
  readonly seconds: number
  readonly maxRunning: number
  readonly maxWaiting: number
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: 'sqlite' },
      seconds: { type: 'string', default: '600' },
      running: { type: 'string', default: '2' },
      waiting: { type: 'string', default: '2' },
    },
  })
  const database = databaseNames.find((name) => name === values.database)
  if (database === undefined) throw new Error(`--database is one of ${databaseNames.join(', ')}`)
  const [seconds, maxRunning, maxWaiting] = [values.seconds, values.running, values.waiting].map(Number)
  if (!(Number(seconds) > 0)) throw new Error('--seconds is a number of seconds')
  return {
    database,
    seconds: Number(seconds),
    maxRunning: database === 'sqlite' ? 1 : Number(maxRunning),
    maxWaiting: Number(maxWaiting),
  }
}

async function run({ database, ...limits }: Options): Promise<Outcome> {
  process.env['DATABASES'] = database
  await startServers()
  const store = stores[database]
  const config = await store.create()
  try {
    const recording = recordingOf(database)
    await store.restore(config, recording.dump)
    return await soak({ contentTypes: recording.contentTypes, database: config, ...limits })
  } finally {
    await store.drop(config)
    await stopServers()
  }
}

async function main(): Promise<void> {
  const options = readOptions()
  const outcome = await run(options)
  const faults = faultsOf(outcome)
  process.stdout.write(`${options.database}, ${JSON.stringify(options)}\n${describe(outcome)}`)
  process.stdout.write(`${String(faults.length)} faults\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
  if (faults.length > 0) process.exitCode = 1
}

void main()
