import { readOptions, withRecording } from '../../spec/support/database-run'
import { soak } from './campaign'
import { describe, faultsOf } from './judge'

async function main(): Promise<void> {
  // As many as this process, the database and whoever asks work on side by side where they share two cores.
  const { database, seconds, running } = readOptions({ seconds: 600, running: 1 })
  const outcome = await withRecording(database, ({ contentTypes }, config) =>
    soak({ contentTypes, database: config, seconds, queue: { maxRunning: running } }),
  )
  const faults = faultsOf(outcome)
  process.stdout.write(
    `${database}, ${String(seconds)} s, ${String(running)} at a time\n${describe(outcome)}`,
  )
  process.stdout.write(`${String(faults.length)} faults\n${faults.map((fault) => `  ${fault}\n`).join('')}`)
  if (faults.length > 0) process.exitCode = 1
}

void main()
