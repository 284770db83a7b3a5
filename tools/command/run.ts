import { loadProjectCode } from '../../extensions/strapi'
import { requestNeeds } from '../../lib/access'
import { type ContentTypesConfig, fillOptions, loggerOf, readTypes } from '../../lib/config'
import { openDatabase } from '../../lib/database'
import { ConfigError, TablesError } from '../../lib/errors'
import { migrate, typesOfRoutes, version, faultsOfConfig } from '../../lib/http'
import type { Schema } from '../../lib/schema'
import { emphasized, inStep, sentenceFor } from '../start'
import { checkTables, type MigrateOptions, type Migration, settleSchema } from '../../lib/tables'
import { type Checking, readArguments } from './arguments'
import { type CheckedConfig, grantsIn, roleIn } from './config-file'
import { type GivenCommand, type GivenConfig, givenConfig } from './given-config'
import { helpOf, usageHead } from './help'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { readGrantStatements } from './read-grant-statements'
import { roleTable } from './role-table'
import { runIntrospect } from './run-introspect'
import { runStart } from './run-start'
import { writeOpenapi } from './write-openapi'
import { writeTypes } from './write-types'

function describe({ statements, unused }: Migration): string {
  const many = statements.length === 1 ? 'statement' : 'statements'
  const done = statements.length === 0 ? 'Nothing to do.' : `${String(statements.length)} ${many} run.`
  return [done, ...unused.map((column) => `kept, because no definition has this column: ${column}`)].join(
    '\n',
  )
}

async function runMigrate(
  config: ContentTypesConfig,
  options: MigrateOptions,
  output: Output,
): Promise<ExitCode> {
  const migration = await migrate(config, options).catch((error: unknown) => {
    if (error instanceof TablesError) output.complain('Nothing was changed:')
    throw error
  })
  if (options.dryRun !== true) {
    output.print(describe(migration))
    return 0
  }
  if (migration.refused.length > 0) {
    output.complain('Nothing would be changed:')
    throw new TablesError(migration.refused)
  }
  // A comment of SQL: the output may be executed.
  const { statements } = migration
  output.print(statements.length > 0 ? `${statements.join(';\n')};` : '-- Nothing to do.')
  return 0
}

/** Not a fault: it explains a 403, and a difference from Strapi. */
function printProjectCode({ extensions = [] }: CheckedConfig, schema: Schema, output: Output): void {
  const { types, elsewhere } = loadProjectCode(schema)
  if (types.length > 0) {
    const isWithheld = extensions.some(({ withholds }) => withholds !== undefined)
    output.print(
      isWithheld
        ? 'The project runs custom code to read these types. They are served only if strapi5({ serve }) names them:'
        : 'The project runs custom code to read these types. They are served without it: add the extension strapi5().',
    )
    for (const { uid, reasons } of types) output.print(`  ${uid}: ${reasons.join('; ')}`)
  }
  if (elsewhere.length > 0)
    output.print(`These files run at the start of the project and may change routes: ${elsewhere.join(', ')}`)
}

/** Rules are part of the check, and need no database. */
function printRole(config: CheckedConfig, schema: Schema, role: string | null, output: Output): void {
  const faults = faultsOfConfig(config, schema)
  if (faults.length > 0) throw new ConfigError(faults)
  if (role === null) return
  const table = grantsIn(config)
  const { drafts } = fillOptions(config)
  if (table !== null) output.print(roleTable(schema, { table, role: roleIn(table, role), drafts }))
  else
    output.complain(
      'warning: permissions cannot be listed: a function or the database grants them at each request',
    )
}

async function runCheck(config: CheckedConfig, { role, user }: Checking, output: Output): Promise<ExitCode> {
  const logger = loggerOf(config.logger)
  const schema = readTypes(config, logger)
  printRole(config, schema, role, output)
  if (user === null) printProjectCode(config, schema, output)
  refuseMissingFile(config.database)
  const database = openDatabase(config.database)
  try {
    const settled = await settleSchema(database, schema, logger)
    const needs = requestNeeds(fillOptions(config), settled, typesOfRoutes(config.extensions))
    await checkTables(database, settled, logger, needs)
    if (user !== null) {
      output.print((await readGrantStatements(database, settled, { needs, user })).join('\n'))
      return 0
    }
  } finally {
    await database.close()
  }
  output.print('The tables match the definitions.')
  if (schema.isAsWritten) return 0
  output.complain('Some definitions are served only in part: read the warnings.')
  return 1
}

function carryOut(command: GivenCommand, config: ContentTypesConfig, output: Output): Promise<ExitCode> {
  switch (command.kind) {
    case 'migrate':
      return runMigrate(config, command.options, output)
    case 'check':
      return runCheck(config, command.checking, output)
    case 'types':
      return writeTypes(config, command.writing, output)
    case 'openapi':
      return writeOpenapi(config, command.writing, output)
  }
}

/** Null: the command is fast. */
function stepOf(command: GivenCommand): string | null {
  switch (command.kind) {
    case 'migrate':
      return command.options.dryRun === true ? 'Comparing the tables' : 'Changing the tables'
    case 'check':
      return 'Comparing the tables'
    case 'types':
      return null
    case 'openapi':
      return command.writing.examplesOf === null ? null : 'Reading examples'
  }
}

async function runGiven(
  command: GivenCommand,
  { config, inWords, close }: GivenConfig,
  output: Output,
): Promise<ExitCode> {
  try {
    const step = stepOf(command)
    const work = (): Promise<ExitCode> => carryOut(command, config, output)
    return await (step === null ? work() : inStep(output, step, work))
  } catch (error) {
    output.complain(inWords(error))
    return 1
  } finally {
    await close()
  }
}

function refuse(message: string, output: Output): ExitCode {
  output.complain(`content-router: ${message}\n\n${usageHead}\nSee --help.`)
  return 2
}

function printOnly(text: string, output: Output): ExitCode {
  output.print(text)
  return 0
}

export async function runCommand(words: readonly string[], output: Output): Promise<ExitCode> {
  const command = readArguments(words)
  if (command.kind === 'misuse') return refuse(command.message, output)
  if (command.kind === 'help') {
    const headings = /^[A-Z][\w ]*:/gm
    return printOnly(
      helpOf(command.about).replace(headings, (heading) => emphasized(output, heading)),
      output,
    )
  }
  if (command.kind === 'version') return printOnly(version, output)
  if (command.kind === 'start') {
    const ended = await runStart(command, output)
    return typeof ended === 'object' ? refuse(ended.message, output) : ended
  }
  try {
    if (command.kind === 'introspect') {
      const ended = await runIntrospect(command, output)
      return typeof ended === 'object' ? refuse(ended.message, output) : ended
    }
    const given = await givenConfig(command, output)
    return 'message' in given ? refuse(given.message, output) : await runGiven(command, given, output)
  } catch (error) {
    output.complain(sentenceFor(error))
    return 1
  }
}
