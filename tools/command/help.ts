import type { FlagName } from './parse-words'

type Flag = readonly [flag: string, meaning: string]

interface CommandHelp {
  readonly usage: string
  readonly purpose: string
  readonly flags: Readonly<Partial<Record<FlagName, Flag>>>
}

const role = (meaning: string): Flag => ['--role <name>', meaning]

const commands = {
  start: {
    usage: '[start] [folder] [options]',
    purpose: 'Serve a folder and the explorer, with read-only access.',
    flags: {
      role: role('Apply the permissions of this role. By default, all content is visible.'),
      port: ['--port <number>', 'Set the port. The default is a free port.'],
      host: ['--host <name>', 'Set the address of the server. The default is 127.0.0.1.'],
      beside: ['--beside <url>', 'Compare the responses with a running Strapi at this URL.'],
    },
  },
  introspect: {
    usage: 'introspect --connection <where> [options]',
    purpose: 'Write definitions for the tables of a database. The database stays unchanged.',
    flags: {
      out: ['--out <folder>', 'Write to this folder. The default is content-types.'],
      tables: ['--tables <pattern>', "Read only tables such as 'film*,actor'. You can repeat the flag."],
      schema: ['--schema <name>', 'Set the PostgreSQL schema. The default is the first of the search path.'],
      view: ['--view <view=column>', 'Add a view with a unique column. You can repeat the flag.'],
      'dry-run': ['--dry-run', 'Print the files instead of writing them.'],
      force: ['--force', 'Replace existing files, but keep names and private attributes.'],
      check: ['--check', 'Compare the files with the database, and fail if they differ.'],
    },
  },
  migrate: {
    usage: 'migrate [options]',
    purpose: 'Create the tables of your definitions, or add missing columns and indexes.',
    flags: {
      'dry-run': ['--dry-run', 'Print the SQL, and leave the database unchanged.'],
      'strapi-database': ['--strapi-database', 'Also extend the tables of a Strapi database.'],
      adopt: ['--adopt <table>', 'Extend a table that migrate did not create. You can repeat the flag.'],
    },
  },
  'search-index': {
    usage: 'search-index [options]',
    purpose: 'Create the missing indexes of the extension search(), on tables of any origin.',
    flags: {
      'dry-run': ['--dry-run', 'Print the SQL and change nothing.'],
      check: ['--check', 'Change nothing; fail if an index is missing.'],
    },
  },
  check: {
    usage: 'check [options]',
    purpose: 'Compare your definitions with the tables, and print every difference.',
    flags: {
      role: role('Print the types and entries that this role can read.'),
      grants: ['--grants', 'Print the GRANT statements for the database user of --user.'],
      user: ['--user <name>', 'Set the database user of --grants. On MySQL, use reader or reader@host.'],
    },
  },
  advise: {
    usage: "advise --query 'articles?sort=title' [options]",
    purpose: 'Print the indexes that would make your queries fast on this database.',
    flags: {
      query: ['--query <query>', 'Read this path and its query. You can repeat the flag.'],
      log: ['--log <file>', 'Read the queries in a log of slow requests.'],
      role: role('Plan the queries with the permissions of this role.'),
      asker: ['--asker <name=value>', 'Set a value for rules with $asker. You can repeat the flag.'],
      apply: ['--apply', 'Create the indexes, and print the new plans.'],
    },
  },
  types: {
    usage: 'types [options]',
    purpose: 'Write TypeScript types of the responses. The command needs no database.',
    flags: {
      role: role('Write only the types that this role can read.'),
      out: ['--out <file>', 'Write to this file. The default is the standard output.'],
      check: ['--check', 'Compare the file with the definitions, and fail if they differ.'],
      watch: ['--watch', 'Write the file again when a definition changes.'],
    },
  },
  openapi: {
    usage: 'openapi [options]',
    purpose: 'Write an OpenAPI document. Only --examples needs a database.',
    flags: {
      role: role('Describe only the requests that this role can send.'),
      out: ['--out <file>', 'Write to this file. The default is the standard output.'],
      check: ['--check', 'Compare the file with the definitions, and fail if they differ.'],
      url: ['--url <url>', 'Set the address of the router. The default is /.'],
      examples: ['--examples', 'Add responses from the database as examples. The flag requires --role.'],
    },
  },
  export: {
    usage: 'export [types] [options]',
    purpose: 'Write all entries of a type to a file. The database stays unchanged.',
    flags: {
      format: ['--format <name>', 'Write ndjson, csv, json or seed. The default is ndjson.'],
      query: ['--query <query>', "Set parameters of the list: 'populate=author&sort=title'."],
      role: role('Write only what this role can read. By default, all content is written.'),
      out: ['--out <file>', 'Write to this file. The default is the standard output.'],
    },
  },
  mcp: {
    usage: 'mcp [options]',
    purpose: 'Serve your content to an AI assistant, over the standard input and output. Read-only.',
    flags: { role: role('Serve what this role can read. By default, all content is served.') },
  },
} as const satisfies Readonly<Record<string, CommandHelp>>

export type CommandName = keyof typeof commands

export const commandNames = Object.keys(commands) as readonly CommandName[]

/** The flags that only some commands have. */
export const flagsOf = (name: CommandName): readonly string[] => Object.keys(commands[name].flags)

const source: readonly Flag[] = [
  ['--config <file>', 'Read a JavaScript module that exports { contentTypes, database }.'],
  ['', 'The default is content-router.config.js, .cjs or .mjs in this folder.'],
  ['--content-types <folder>', 'Read definitions from this folder. You can repeat the flag.'],
  ['--connection <where>', 'Set the URL of a database server, or the path of a SQLite file.'],
  ['--client <name>', 'Set the driver: better-sqlite3, mysql2 or pg. URLs need no --client.'],
  ['--strapi5', 'Add the extension strapi5(). Your own options override the extension.'],
]

const general: readonly Flag[] = [
  ['-h, --help', 'Print this help.'],
  ['-v, --version', 'Print the version.'],
]

const inColumns = (rows: readonly Flag[]): string =>
  rows.map(([flag, meaning]) => `  ${flag.padEnd(24)}  ${meaning}`).join('\n')

export const usageHead = `Usage: content-router <command> [options]
       npx express-content-router [start] [folder] [options]`

const helpOfAll = (): string => `${usageHead}

Commands:
${Object.entries(commands)
  .map(([name, { purpose }]) => `  ${name.padEnd(12)}  ${purpose}`)
  .join('\n')}

Options:
${inColumns(general)}

To list the options of a command, run content-router <command> --help.

Exit code 0: The command succeeded.
Exit code 1: The definitions, the tables or a file differ, or the database is unreachable.
Exit code 2: The command line or the config is wrong.`

export function helpOf(name: CommandName | null): string {
  if (name === null) return helpOfAll()
  const { usage, purpose, flags }: CommandHelp = commands[name]
  return `Usage: content-router ${usage}

${purpose}

Options:
${inColumns([...Object.values(flags), ...general])}

Definitions and database:
${inColumns(source)}`
}
