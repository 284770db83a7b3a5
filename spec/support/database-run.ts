import type { Knex } from 'knex'
import { parseArgs } from 'node:util'
import { type Recording, recordingOf } from './recordings'
import { databaseNames, type DatabaseName, startServers, stopServers } from './servers'
import { stores } from './stores'

/** What a command line says: the database, and numbers by their names. */
export function readOptions<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
): { readonly database: DatabaseName } & Readonly<Record<Name, number>> {
  const names = Object.keys(numbers) as Name[]
  const usage = `--database ${databaseNames.join('|')} ${names.map((name) => `--${name} <number>`).join(' ')}`
  const options = Object.fromEntries(
    ['database', ...names].map((name) => [name, { type: 'string' as const }]),
  )
  const values = parseArgs({ options }).values as Readonly<Record<string, string | undefined>>
  const database = databaseNames.find((name) => name === (values['database'] ?? 'sqlite'))
  const read = names.map((name) => [name, Number(values[name] ?? numbers[name])] as const)
  if (database === undefined || read.some(([, number]) => !Number.isFinite(number) || number < 0)) {
    throw new Error(usage)
  }
  return { database, ...(Object.fromEntries(read) as Record<Name, number>) }
}

/** With the recorded magazine in a database of its own, gone afterwards. */
export async function withRecording<T>(
  database: DatabaseName,
  use: (recording: Recording, config: Knex.Config) => Promise<T>,
): Promise<T> {
  process.env['DATABASES'] = database
  await startServers()
  const store = stores[database]
  const config = await store.create()
  try {
    const recording = recordingOf(database)
    await store.restore(config, recording.dump)
    return await use(recording, config)
  } finally {
    await store.drop(config)
    await stopServers()
  }
}
