import { loadProjectCode } from '../../extensions/strapi'
import { requestNeeds } from '../../lib/access'
import { type ContentTypesConfig, fillOptions, loggerOf, readTypes } from '../../lib/config'
import { openDatabase } from '../../lib/database'
import { ConfigError, TablesError } from '../../lib/errors'
import { migrate, typesOfRoutes, version, faultsOfConfig } from '../../lib/http'
import type { Schema } from '../../lib/schema'
import { emphasized, inStep, sentenceFor } from '../start'
import { checkTables, type MigrateOptions, type Migration, settleSchema } from '../../lib/tables'
import { type Checking, type Command, readArguments } from './arguments'
import { type CheckedConfig, grantsIn, roleIn } from './config-file'
import { type GivenCommand, givenConfig } from './given-config'
import { helpOf, usageHead } from './help'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { Misuse } from './parse-words'
import { readGrantStatements } from './read-grant-statements'
import { roleTable } from './role-table'
import { runAdvise } from './run-advise'
import { runExport } from './run-export'
import { runIntrospect } from './run-introspect'
import { runMcp } from './run-mcp'
import { runSearchIndex } from './run-search-index'
import { runStart } from './run-start'
import { writeOpenapi } from './write-openapi'
import { writeTypes } from './write-types'

function describe({ statements, unused }: Migration): string {
  const many = statements.length === 1 ? 'statement' : 'statements'
  const done =
    statements.length === 0 ? 'No changes are needed.' : `${String(statements.length)} ${many} run.`
  return [done, ...unused.map((column) => `migrate keeps the unused column ${column}`)].join('\n')
}

async function runMigrate(
  config: ContentTypesConfig,
  options: MigrateOptions,
  output: Output,
): Promise<ExitCode> {
  const migration = await migrate(config, options).catch((error: unknown) => {
    if (error instanceof TablesError) output.complain('The command changed nothing, because of these faults:')
    throw error
  })
  if (options.dryRun !== true) {
    output.print(describe(migration))
    return 0
  }
  if (migration.refused.length > 0) {
    output.complain('The command would change nothing, because of these faults:')
    throw new TablesError(migration.refused)
  }
  // A comment of SQL: the output may be executed.
  const { statements } = migration
  output.print(statements.length > 0 ? `${statements.join(';\n')};` : '-- No changes are needed.')
  return 0
}

/** Not a fault: it explains a 403, and a difference from Strapi. */
function printProjectCode({ extensions = [] }: CheckedConfig, schema: Schema, output: Output): void {
  const { types, elsewhere } = loadProjectCode(schema)
  if (types.length > 0) {
    const isWithheld = extensions.some(({ withholds }) => withholds !== undefined)
    output.print(
      isWithheld
        ? 'The project reads these types with custom code. To serve a type, name the type in strapi5({ serve }):'
        : 'The project reads these types with custom code, which the router does not run. Add strapi5():',
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
      'warning: the permissions cannot be listed, because a function or the database grants them at each request',
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
  output.complain('The router omits parts of some definitions. Read the warnings.')
  return 1
}

function carryOut(command: GivenCommand, config: ContentTypesConfig, output: Output): Promise<ExitCode> {
  switch (command.kind) {
    case 'migrate': {
      const { options } = command
      const step = options.dryRun === true ? 'Comparing the tables' : 'Changing the tables'
      return inStep(output, step, () => runMigrate(config, options, output))
    }
    case 'search-index':
      return inStep(output, 'Creating the indexes', () => runSearchIndex(config, command.when, output))
    case 'check':
      return inStep(output, 'Comparing the tables', () => runCheck(config, command.checking, output))
    case 'advise':
      return inStep(output, 'Explaining the queries', () => runAdvise(config, command.advising, output))
    case 'types':
      return writeTypes(config, command.writing, output)
    case 'openapi':
      return writeOpenapi(config, command.writing, output)
    case 'export':
      return runExport(config, command.exporting, output)
    case 'mcp':
      return runMcp(config, command.role)
  }
}

async function runGiven(command: GivenCommand, output: Output): Promise<ExitCode> {
  const { config, inWords, close } = await givenConfig(command, output)
  try {
    return await carryOut(command, config, output)
  } catch (error) {
    if (error instanceof Misuse) throw error
    output.complain(inWords(error))
    return 1
  } finally {
    await close()
  }
}

function printOnly(text: string, output: Output): ExitCode {
  output.print(text)
  return 0
}

function runNamed(command: Command, output: Output): ExitCode | Promise<ExitCode> {
  if (command.kind === 'help') {
    const headings = /^[A-Z][\w ]*:/gm
    const inBold = (heading: string): string => emphasized(output, heading)
    return printOnly(helpOf(command.about).replace(headings, inBold), output)
  }
  if (command.kind === 'version') return printOnly(version, output)
  if (command.kind === 'start') return runStart(command, output)
  if (command.kind === 'introspect') return runIntrospect(command, output)
  return runGiven(command, output)
}

export async function runCommand(words: readonly string[], output: Output): Promise<ExitCode> {
  try {
    return await runNamed(readArguments(words), output)
  } catch (error) {
    const isMisuse = error instanceof Misuse
    output.complain(
      isMisuse ? `content-router: ${error.message}\n\n${usageHead}\nSee --help.` : sentenceFor(error),
    )
    return isMisuse ? 2 : 1
  }
}
