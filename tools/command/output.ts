import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isMissingFile } from '../../lib/database'
import { ConfigError } from '../../lib/errors'
import type { Printer } from '../start'
import type { TypesTarget } from './arguments'

/** SQLite would create the file. */
export function refuseMissingFile(database: unknown): void {
  if (!isMissingFile(database)) return
  const remedy = 'run content-router migrate to create the database file, or set the path of another file'
  throw new ConfigError([
    { where: 'database.connection.filename', problem: 'the file does not exist', remedy },
  ])
}

/** Writes to a file or the standard output, or compares with the file. */
export function writeText(
  text: string,
  { out, when }: Pick<TypesTarget, 'out' | 'when'>,
  output: Output,
): ExitCode {
  if (out === null) {
    output.print(text.trimEnd())
    return 0
  }
  // An unchanged file is not written, so that watchers are not triggered. Git on Windows changes line ends.
  const isUpToDate = existsSync(out) && readFileSync(out, 'utf8').replaceAll('\r\n', '\n') === text
  if (when === 'never, but compare') {
    if (isUpToDate) return 0
    output.complain(`${out} is out of date. Run the command again without --check`)
    return 1
  }
  if (!isUpToDate) writeFileSync(out, text)
  output.print(isUpToDate ? `${out} is up to date.` : `${out} is written.`)
  return 0
}

export interface Output extends Printer {
  /** Receives an export in place of the standard output. */
  readonly body?: NodeJS.WritableStream
  /** Ends the watching before the process ends. */
  readonly until?: AbortSignal
}

export type ExitCode = 0 | 1 | 2

/** Indented rows, whose cells begin below each other. */
export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widthAt = (place: number): number => Math.max(...rows.map((row) => row[place]?.length ?? 0))
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widthAt(at))).join('  ')}`.trimEnd())
}
