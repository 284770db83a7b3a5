import type { Knex } from 'knex'
import { parseArgs } from 'node:util'
import { type Recording, recordingOf } from './recordings'
import { databaseNames, type DatabaseName, startServers, stopServers } from './servers'
import { stores } from './stores'

type Values = Readonly<Record<string, string | boolean | undefined>>

function explain(names: readonly string[], output: NodeJS.WriteStream, reason: string | null): never {
  const numbers = names.map((name) => ` [--${name} <number>]`)
  if (reason !== null) output.write(`${reason}\n`)
  output.write(`options: [--database ${databaseNames.join('|')}]${numbers.join('')}\n`)
  process.exit(reason === null ? 0 : 2)
}

function parsed(names: readonly string[]): Values {
  const texts = Object.fromEntries(['database', ...names].map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ options: { ...texts, help: { type: 'boolean' } } }).values
  } catch (error) {
    return explain(names, process.stderr, (error as Error).message)
  }
}

/** What a command line says: the database, and numbers by their names. What cannot be read ends the process. */
export function readOptions<Name extends string>(
  numbers: Readonly<Record<Name, number>>,
): { readonly database: DatabaseName } & Readonly<Record<Name, number>> {
  const names = Object.keys(numbers) as Name[]
  const values = parsed(names)
  if (values['help'] === true) explain(names, process.stdout, null)
  const database = databaseNames.find((name) => name === (values['database'] ?? 'sqlite'))
  const read = names.map((name) => [name, Number(values[name] ?? numbers[name])] as const)
  if (database === undefined) explain(names, process.stderr, 'there is no such database')
  const wrong = read.find(([, number]) => !Number.isFinite(number) || number < 0)
  if (wrong !== undefined) explain(names, process.stderr, `--${wrong[0]} takes a number`)
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
