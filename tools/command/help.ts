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
    purpose: 'Serve a folder with the explorer: a Strapi project, a config, or else the sample. Read-only.',
    flags: {
      role: role('Serve as this role. Default: everything is shown.'),
      port: ['--port <number>', 'Port. Default: a free one.'],
      host: ['--host <name>', 'Address to listen at. Default: 127.0.0.1, this machine only.'],
      beside: ['--beside <url>', 'A running Strapi that gets the same requests, to compare.'],
    },
  },
  introspect: {
    usage: 'introspect --connection <where> [options]',
    purpose: 'Write definitions of the tables that a database has. Changes nothing in the database.',
    flags: {
      out: ['--out <folder>', 'Folder to write to. Default: content-types'],
      tables: ['--tables <pattern>', "Only these tables: 'film*,actor'. You can repeat it."],
      schema: ['--schema <name>', 'Schema of PostgreSQL. Default: the first of the search path.'],
      view: ['--view <view=column>', 'A view to serve, and its unique column. You can repeat it.'],
      'dry-run': ['--dry-run', 'Print the files and write nothing.'],
      force: ['--force', 'Replace files that exist; keep names and private.'],
      check: ['--check', 'Write nothing; fail if the files differ from the database.'],
    },
  },
  migrate: {
    usage: 'migrate [options]',
    purpose: 'Create and extend the tables of your definitions. Only adds; you can repeat it.',
    flags: {
      'dry-run': ['--dry-run', 'Print the SQL and change nothing.'],
      'strapi-database': ['--strapi-database', 'Add to the tables of a Strapi database, too.'],
      adopt: ['--adopt <table>', 'Add to a table that migrate did not create. You can repeat it.'],
    },
  },
  check: {
    usage: 'check [options]',
    purpose: 'Compare your definitions with the tables, and print every difference.',
    flags: {
      role: role('Print the types and entries that this role may read.'),
      grants: ['--grants', 'Print the GRANT statements for the database user of --user.'],
      user: ['--user <name>', 'Database user of --grants. MySQL: reader or reader@host.'],
    },
  },
  types: {
    usage: 'types [options]',
    purpose: 'Write TypeScript types of the responses. Needs no database.',
    flags: {
      role: role('Only the types that this role may read.'),
      out: ['--out <file>', 'File to write. Default: standard output.'],
      check: ['--check', 'Write nothing; fail if the file is out of date.'],
      watch: ['--watch', 'Write the file again when a definition changes.'],
    },
  },
  openapi: {
    usage: 'openapi [options]',
    purpose: 'Write an OpenAPI document. Needs no database, except for --examples.',
    flags: {
      role: role('Only the requests that this role may send.'),
      out: ['--out <file>', 'File to write. Default: standard output.'],
      check: ['--check', 'Write nothing; fail if the file is out of date.'],
      url: ['--url <url>', 'Address of the router. Default: /'],
      examples: ['--examples', 'Add responses to --role as examples, from the database of the config.'],
    },
  },
} as const satisfies Readonly<Record<string, CommandHelp>>

export type CommandName = keyof typeof commands

export const commandNames = Object.keys(commands) as readonly CommandName[]

/** The flags that only some commands have. */
export const flagsOf = (name: CommandName): readonly string[] => Object.keys(commands[name].flags)

const source: readonly Flag[] = [
  ['--config <file>', 'JavaScript module that exports { contentTypes, database }.'],
  ['', 'Default: content-router.config.js, .cjs or .mjs in this folder.'],
  ['--content-types <folder>', 'Folder of definitions, instead of a config. You can repeat it.'],
  ['--connection <where>', 'URL of a database server, or a SQLite file.'],
  ['--client <name>', 'better-sqlite3, mysql2 or pg. Default: by the URL or the file name.'],
  ['--strapi5', 'Add the extension strapi5(). Options of your config win.'],
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
  .map(([name, { purpose }]) => `  ${name.padEnd(10)}  ${purpose}`)
  .join('\n')}

Options:
${inColumns(general)}

Options of a command: content-router <command> --help

Exit codes: 0 success; 1 the definitions, the tables or a file differ, or the database is
unreachable; 2 the command line or the config is wrong.`

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
