import { loadProjectCode } from '../../extensions/strapi'
import { requestNeeds } from '../../lib/access'
import { type ContentTypesConfig, fillOptions, loggerOf, readTypes } from '../../lib/config'
import { openDatabase } from '../../lib/database'
import { ConfigError, TablesError } from '../../lib/errors'
import { migrate, typesOfRoutes, version, faultsOfConfig } from '../../lib/http'
import type { Schema } from '../../lib/schema'
import { sentenceFor } from '../start'
import { checkTables, type MigrateOptions, type Migration, settleSchema } from '../../lib/tables'
import { type Checking, readArguments } from './arguments'
import { type CheckedConfig, grantsIn } from './config-file'
import { type GivenCommand, type GivenConfig, givenConfig } from './given-config'
import { type ExitCode, type Output, refuseMissingFile } from './output'
import { readGrantStatements } from './read-grant-statements'
import { roleTable } from './role-table'
import { runStart } from './run-start'
import { writeOpenapi } from './write-openapi'
import { writeTypes } from './write-types'

const usageHead = `Usage: content-router <command> [options]
       npx express-content-router [start] [folder] [options]`

const usage = `${usageHead}

Commands:
  start     serve what a folder holds, with a page to try queries on: a Strapi project, or a config;
            a sample where there is neither. Reads only. Without a command, this is what is done
  migrate   create and extend the tables of the definitions; only adds, may be repeated
  check     compare the definitions with the tables; fails with all that is missing
  types     write the types of answers for TypeScript; asks no database
  openapi   write what may be asked and is answered as OpenAPI; asks no database
            unless --examples are wanted

Options:
  --config <file>            a JavaScript module that exports { contentTypes, database }
                             (default: content-router.config.js, .cjs or .mjs in this folder; but
                             for migrate, or else the Strapi project that start would find)
  --content-types <folder>   a folder of definitions, instead of a config; may be repeated
  --client <name>            better-sqlite3, mysql2 or pg; the URL of a server tells it
  --connection <where>       the file of a better-sqlite3 database, or the URL of a server; start:
                             also in place of what a Strapi project says
  --strapi5                  take the options of this preset; what the config says otherwise holds
  --port <number>            start: the port (default: a free one)
  --host <name>              start: where it listens (default: 127.0.0.1, this machine alone)
  --beside <url>             start: a running Strapi that is asked the same, to compare
  --role <name>              check: print which entries of which types the role may see, by the
                             permissions that the config holds; types, openapi: write these alone;
                             start: answer as to this role (default: everything is shown)
  --grants                   check: print the GRANT statements that let --user read the needed tables
  --user <name>              check: the database user of --grants; MySQL: reader or reader@host
  --out <file>               types, openapi: the file to write, in place of the standard output
  --url <url>                openapi: where the router is mounted (default: /)
  --examples                 openapi: show what the role is answered, by the database of the config
  --check                    types, openapi: write nothing, and fail where the file is out of date
  --watch                    types: write the file again whenever a definition changes
  --dry-run                  migrate: print the SQL and change nothing
  --strapi-database          migrate: add to the tables of a Strapi as well
  --adopt <table>            migrate: add to a table that migrate did not create; may be repeated
  -h, --help                 print this
  -v, --version              print the version of this package

Exit codes: 0 done; 1 the tables, the definitions or the types are not as they should be, or the
database cannot be reached; 2 the command line or the config file is wrong.`

function describe({ statements, unused }: Migration): string {
  const many = statements.length === 1 ? 'statement' : 'statements'
  const done = statements.length === 0 ? 'Nothing to do.' : `${String(statements.length)} ${many} run.`
  return [done, ...unused.map((column) => `left alone, no definition names it: ${column}`)].join('\n')
}

async function runMigrate(
  config: ContentTypesConfig,
  options: MigrateOptions,
  output: Output,
): Promise<ExitCode> {
  const migration = await migrate(config, options).catch((error: unknown) => {
    if (error instanceof TablesError) output.complain('Nothing is changed:')
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
        ? 'These types are served only if strapi5({ serve }) names them, as the project runs code where they are read:'
        : 'The project runs code where these types are read. They are served without it: add the extension strapi5().',
    )
    for (const { uid, reasons } of types) output.print(`  ${uid}: ${reasons.join('; ')}`)
  }
  if (elsewhere.length > 0)
    output.print(`Files that the project runs at its start may change routes: ${elsewhere.join(', ')}`)
}

/** Rules are part of the check, and need no database. */
function printRole(config: CheckedConfig, schema: Schema, role: string | null, output: Output): void {
  const faults = faultsOfConfig(config, schema)
  if (faults.length > 0) throw new ConfigError(faults)
  if (role === null) return
  const table = grantsIn(config)
  const { drafts } = fillOptions(config)
  if (table !== null) output.print(roleTable(schema, { table, role, drafts }))
  else output.complain('What a function or the database grants is asked at each request: no table holds it.')
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
  output.print('The tables hold what the definitions ask for.')
  if (schema.isAsWritten) return 0
  output.complain('Some of the definitions cannot be served as they are written: see the warnings.')
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

async function runGiven(
  command: GivenCommand,
  { config, inWords, close }: GivenConfig,
  output: Output,
): Promise<ExitCode> {
  try {
    return await carryOut(command, config, output)
  } catch (error) {
    output.complain(inWords(error))
    return 1
  } finally {
    await close()
  }
}

function refuse(message: string, output: Output): ExitCode {
  output.complain(`content-router: ${message}\n\n${usageHead}\n--help tells all.`)
  return 2
}

function tell(text: string, output: Output): ExitCode {
  output.print(text)
  return 0
}

export async function runCommand(words: readonly string[], output: Output): Promise<ExitCode> {
  const command = readArguments(words)
  if (command.kind === 'misuse') return refuse(command.message, output)
  if (command.kind === 'help') return tell(usage, output)
  if (command.kind === 'version') return tell(version, output)
  if (command.kind === 'start') {
    const ended = await runStart(command, output)
    return typeof ended === 'object' ? refuse(ended.message, output) : ended
  }
  try {
    const given = await givenConfig(command, output)
    return 'message' in given ? refuse(given.message, output) : await runGiven(command, given, output)
  } catch (error) {
    output.complain(sentenceFor(error))
    return 1
  }
}
