import type { Knex } from 'knex'
import { parseArgs } from 'node:util'
import { type Recording, recordingOf } from './recordings'
import { databaseNames, type DatabaseName, startServers, stopServers } from './servers'
import { stores } from './stores'

type Values = Readonly<Record<string, string | boolean | undefined>>

function parsed(names: readonly string[]): Values | null {
  const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ options: { ...texts, help: { type: 'boolean' } } }).values
  } catch {
    return null
  }
}

function explain(names: readonly string[], output: NodeJS.WriteStream, code: number): never {
  const numbers = names.map((name) => ` [--${name} <number>]`)
  output.write(`options: [--database ${databaseNames.join('|')}]${numbers.join('')}\n`)
  process.exit(code)
}

/** What a command line says: the database, and numbers by their names. What cannot be read ends the process. */
export function readOptions<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
): { readonly database: DatabaseName } & Readonly<Record<Name, number>> {
  const names = Object.keys(numbers) as Name[]
  const values = parsed(['database', ...names])
  if (values?.['help'] === true) explain(names, process.stdout, 0)
  const database = databaseNames.find((name) => name === (values?.['database'] ?? 'sqlite'))
  const read = names.map((name) => [name, Number(values?.[name] ?? numbers[name])] as const)
  const isWrong = values === null || read.some(([, number]) => !Number.isFinite(number) || number < 0)
  if (database === undefined || isWrong) explain(names, process.stderr, 2)
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
