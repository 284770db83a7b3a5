import { resolve } from 'node:path'
import { clientOf } from '../../lib/database'
import { startSite } from '../start'
import type { Command, Source, StartWords } from './arguments'
import { type CheckedConfig, isUnnamed, readConfigFile, withExtensions } from './config-file'
import type { ExitCode, Output } from './output'
import type { Misuse } from './parse-words'

/** Paths are relative to the working directory; a URL stays. */
const seenFromHere = (where: string): string => (clientOf(where) === undefined ? resolve(where) : where)

function sourceFromHere(source: Source): Source {
  switch (source.kind) {
    case 'file':
      return { ...source, file: source.file === null ? null : resolve(source.file) }
    case 'folders':
      return { ...source, folders: source.folders.map((folder) => resolve(folder)) }
    case 'flags': {
      const { folders, connection } = source
      return {
        ...source,
        folders: folders.map((folder) => resolve(folder)),
        connection: seenFromHere(connection),
      }
    }
  }
}

const connectionFromHere = ({ connection }: StartWords): StartWords['connection'] =>
  connection === null ? null : { ...connection, where: seenFromHere(connection.where) }

/** A connection alone is that of a Strapi project. Null if neither a file nor flags name a source. */
function configOf(source: Source, starting: StartWords): Promise<CheckedConfig | Misuse | null> {
  if (starting.connection !== null || isUnnamed(source)) return Promise.resolve(null)
  return readConfigFile(source)
}

/** Ends with Ctrl-C, with signals that end processes, and with a closed output. */
function untilStopped(): AbortSignal {
  const stopped = new AbortController()
  process.stdout.once('error', () => {
    stopped.abort()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      stopped.abort()
    })
  return stopped.signal
}

/** Runs as if the working directory were the given folder. */
export async function runStart(
  { source, starting, extensions }: Extract<Command, { kind: 'start' }>,
  output: Output,
): Promise<ExitCode | Misuse> {
  const seen = sourceFromHere(source)
  const connection = connectionFromHere(starting)
  if (starting.folder !== null) process.chdir(starting.folder)
  const config = await configOf(seen, starting)
  if (config !== null && 'message' in config) return config
  const { role, host, port, beside, folder } = starting
  const isStarted = await startSite(
    {
      ...{ role, host, port, beside, connection },
      folder: process.cwd(),
      isNamed: folder !== null,
      config: config === null ? null : withExtensions(config, extensions),
    },
    output,
    output.until ?? untilStopped(),
  )
  return isStarted ? 0 : 1
}
