import type { ContentTypesConfig, Logger } from '../config'
import { openDatabase } from '../database'
import { ConfigError, TablesError } from '../errors'
import { readSchema } from '../schema'
import { checkTables, migrate, type Migration } from '../tables'
import { misuse, readArguments, type Command } from './arguments'
import { readConfig } from './config-file'
import { usage } from './usage'

export interface Output {
  print(text: string): void
  complain(text: string): void
}

type ExitCode = 0 | 1 | 2

function warnThrough({ complain }: Output): Logger {
  const warn = (_facts: object, message: string): void => {
    complain(`warning: ${message}`)
  }
  return { debug: () => undefined, info: () => undefined, warn, error: warn }
}

function describe({ statements, unused }: Migration): string {
  const done = statements.length === 0 ? 'Nothing to do.' : `${String(statements.length)} statements run.`
  return [done, ...unused.map((column) => `left alone, no definition names it: ${column}`)].join('\n')
}

async function runMigrate(config: ContentTypesConfig, dryRun: boolean, output: Output): Promise<ExitCode> {
  const migration = await migrate(config, { dryRun })
  if (!dryRun) {
    output.print(describe(migration))
    return 0
  }
  if (migration.refused.length > 0) throw new TablesError(migration.refused)
  if (migration.statements.length > 0) output.print(`${migration.statements.join(';\n')};`)
  return 0
}

async function runCheck(config: ContentTypesConfig, output: Output): Promise<ExitCode> {
  const schema = readSchema(config.contentTypes, config.logger)
  const database = openDatabase(config.database)
  try {
    await checkTables(database, schema, config.logger)
  } finally {
    await database.close()
  }
  output.print('The tables hold what the definitions ask for.')
  return 0
}

/** A driver's message may quote the connection, so of a foreign error only its code is shown. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof TablesError) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  return typeof code === 'string' ? `The database refused: ${code}` : `Failed: ${String(message)}`
}

async function runChecked(command: Exclude<Command, { kind: 'help' }>, output: Output): Promise<ExitCode> {
  const given = await readConfig(command.source)
  if ('message' in given) return refuse(given.message, output)
  const config = { logger: warnThrough(output), ...given }
  return command.kind === 'migrate' ? runMigrate(config, command.dryRun, output) : runCheck(config, output)
}

function refuse(message: string, output: Output): ExitCode {
  output.complain(`content-router: ${misuse(message).message}\n\n${usage}`)
  return 2
}

export async function runCommand(words: readonly string[], output: Output): Promise<ExitCode> {
  const command = readArguments(words)
  if (command.kind === 'misuse') return refuse(command.message, output)
  if (command.kind === 'help') {
    output.print(usage)
    return 0
  }
  try {
    return await runChecked(command, output)
  } catch (error) {
    output.complain(messageOf(error))
    return 1
  }
}
