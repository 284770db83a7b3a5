import { startSite } from '../start'
import type { Command } from './arguments'
import { isUnnamed, readConfigFile, withExtensions } from './config-file'
import type { ExitCode, Output } from './output'

/** Ends with Ctrl-C, with signals that end processes, and with a closed output. */
function untilStopped(): AbortSignal {
  const stopped = new AbortController()
  const stop = (): void => {
    stopped.abort()
  }
  process.stdout.once('error', stop)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  return stopped.signal
}

/** Runs as if the working directory were the given folder. */
export async function runStart(
  { source, starting, extensions }: Extract<Command, { kind: 'start' }>,
  output: Output,
): Promise<ExitCode> {
  const { folder, ...others } = starting
  if (folder !== null) process.chdir(folder)
  // A connection alone is that of a Strapi project.
  const isOpen = others.connection !== null || isUnnamed(source)
  const config = isOpen ? null : withExtensions(await readConfigFile(source), extensions)
  const options = { ...others, folder: process.cwd(), isNamed: folder !== null, config }
  return (await startSite(options, output, output.until ?? untilStopped())) ? 0 : 1
}
