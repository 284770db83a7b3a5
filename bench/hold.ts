import { databaseNames } from '../spec/support/servers'
import { prepare } from './data/prepare'

/** Keeps the servers up, with their data made, until it is ended: runs of the bench then join them. */
async function hold(): Promise<void> {
  const names = databaseNames.filter((name) => name !== 'sqlite')
  const held = []
  for (const name of databaseNames) {
    const begun = Date.now()
    held.push(await prepare(name, 20_000))
    process.stdout.write(`${name} ready after ${String(Date.now() - begun)} ms\n`)
  }
  process.stdout.write(`holding ${names.join(', ')}\n`)
  await new Promise<void>((resolve) => process.once('SIGTERM', resolve).once('SIGINT', resolve))
  for (const one of held) await one?.stop()
  process.exit(0)
}

void hold()
