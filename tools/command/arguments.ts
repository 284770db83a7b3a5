import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { clientOf } from '../../lib/database'
import type { Extension } from '../../lib/http'
import { strapi5 } from '../../extensions/strapi'
import { nearest } from '../../lib/schema'
import type { MigrateOptions } from '../../lib/tables'
import type { IntrospectOptions } from '../introspect'
import { databaseAt, type StartOptions } from '../start'
import type { Source } from './config-file'
import { type CommandName, commandNames, flagsOf } from './help'
import { type ArgumentValues, Misuse, parseWords } from './parse-words'

/** The source of definitions and tables, and extensions named by flags. */
interface Reached {
  readonly source: Source
  readonly extensions: readonly Extension[]
}

/** Flags of `start`, except for the source of definitions and tables. */
export interface StartWords extends Omit<StartOptions, 'folder' | 'isNamed' | 'config'> {
  readonly folder: string | null
}

export interface IntrospectWords extends IntrospectOptions {
  readonly out: string
  readonly when: 'once' | 'dry run' | 'never, but compare'
  readonly overwrites: boolean
}

/** A role, or a user of the database, whose permissions are printed. */
export interface Checking {
  readonly role: string | null
  readonly user: string | null
}

/** Queries whose indexes are searched. */
export interface Advising {
  readonly queries: readonly string[]
  /** A file with a request in each line. */
  readonly log: string | null
  /** Null: a caller who may read everything. */
  readonly role: string | null
  /** Values of the caller, for rules. */
  readonly asker: Readonly<Record<string, string>>
  readonly applies: boolean
}

export interface TypesTarget {
  /** Null: all types that are not private. */
  readonly role: string | null
  readonly out: string | null
  readonly when: 'once' | 'on change' | 'never, but compare'
  /** The words of the command, printed in the file. */
  readonly words: readonly string[]
}

export interface OpenApiTarget extends Omit<TypesTarget, 'words'> {
  readonly url: string
  /** Null: no examples, and no database is used. */
  readonly examplesOf: string | null
}

export interface ExportTarget {
  /** Types, or their paths. Empty: all types. */
  readonly types: readonly string[]
  readonly format: string
  readonly query: string
  /** Null: everything that is not private. */
  readonly role: string | null
  readonly out: string | null
}

export type IndexingTime = 'once' | 'dry run' | 'never, but compare'

type OwnWords =
  | { readonly kind: 'start'; readonly starting: StartWords }
  | { readonly kind: 'introspect'; readonly introspecting: IntrospectWords }
  | { readonly kind: 'migrate'; readonly options: MigrateOptions }
  | { readonly kind: 'search-index'; readonly when: IndexingTime }
  | { readonly kind: 'check'; readonly checking: Checking }
  | { readonly kind: 'advise'; readonly advising: Advising }
  | { readonly kind: 'types'; readonly writing: TypesTarget }
  | { readonly kind: 'openapi'; readonly writing: OpenApiTarget }
  | { readonly kind: 'export'; readonly exporting: ExportTarget }
  | { readonly kind: 'mcp'; readonly role: string | null }

export type Command =
  | { readonly kind: 'help'; readonly about: CommandName | null }
  | { readonly kind: 'version' }
  | (Reached & OwnWords)

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/** A missing file with another name is more likely a typing error, or the settings of a server. */
const isSqliteFile = (where: string): boolean =>
  /\.(db3?|sqlite3?)$/i.test(where) || (existsSync(where) && statSync(where).isFile())

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** `start` changes the working directory. A URL stays. */
function withAbsolutePaths(values: ArgumentValues): ArgumentValues {
  const { config, connection, 'content-types': folders } = values
  const isPath = connection !== undefined && clientOf(connection) === undefined
  return {
    ...values,
    ...(config !== undefined && { config: resolve(config) }),
    ...(folders !== undefined && { 'content-types': folders.map((folder) => resolve(folder)) }),
    ...(isPath && { connection: resolve(connection) }),
  }
}

function sourceOf(name: CommandName, values: ArgumentValues): Source {
  const { client, config = null, connection: where, 'content-types': folders } = values
  if (folders === undefined && client === undefined && where === undefined) return config
  if (config !== null)
    throw new Misuse('--config cannot be combined with --content-types, --connection and --client')
  if (folders === undefined) {
    // The connection may be that of a Strapi project.
    if (name === 'start' && where !== undefined) return null
    if (name === 'introspect' && where !== undefined)
      return { contentTypes: [], database: databaseAt({ client, where }) }
  } else {
    if (name === 'introspect')
      throw new Misuse('introspect writes definitions. Set the folder with --out instead of --content-types')
    if (name === 'types' || name === 'openapi') return { contentTypes: folders, database: {} }
  }
  if (folders === undefined || where === undefined)
    throw new Misuse('--content-types and --connection must be set together')
  if (client === undefined && clientOf(where) === undefined && !isSqliteFile(where))
    throw new Misuse(
      '--connection must be a URL such as postgres://…, or a SQLite file such as content.db. For other values, add --client',
    )
  return { contentTypes: folders, database: databaseAt({ client, where }) }
}

function readStartWords(folder: string | null, values: ArgumentValues): StartWords {
  const { client, connection, role = null, host = '127.0.0.1', port = '0', beside = null } = values
  if (folder !== null && !isFolder(folder))
    throw new Misuse(
      existsSync(folder) ? `${folder} is a file, not a folder` : `there is no folder ${folder}`,
    )
  if (!/^\d+$/.test(port) || Number(port) > 65_535)
    throw new Misuse(`--port ${port} must be a number from 0 to 65535`)
  if (beside !== null && !isWebAddress(beside))
    throw new Misuse('--beside requires the URL of a Strapi server, such as http://localhost:1337')
  // Together with definitions, the connection is part of the source.
  const isOwn = connection !== undefined && values['content-types'] === undefined
  const own = isOwn ? { client, where: connection } : null
  return { folder, role, host, port: Number(port), beside, connection: own }
}

function whenOf({ check, watch, out }: ArgumentValues): TypesTarget['when'] {
  if (check !== true && watch !== true) return 'once'
  if (check === true && watch === true) throw new Misuse('--check cannot be combined with --watch')
  if (out === undefined) throw new Misuse(`--${check === true ? 'check' : 'watch'} requires --out <file>`)
  return check === true ? 'never, but compare' : 'on change'
}

/** `film_list=fid` is a view and its unique column. */
function readView(text: string): readonly [view: string, column: string] {
  const [, view, column] = /^(.+)=([^=]+)$/s.exec(text) ?? []
  if (view !== undefined && column !== undefined) return [view, column]
  throw new Misuse(`--view ${text} must contain a view and a unique column, such as --view film_list=fid`)
}

function readAdvising(values: ArgumentValues): Advising {
  const { query: queries = [], log = null, role = null, asker = [], apply: applies = false } = values
  if (log === null && queries.length === 0)
    throw new Misuse("advise requires --log <file> or --query, such as --query 'articles?sort=title'")
  if (log !== null && !existsSync(log)) throw new Misuse(`the file ${log} does not exist`)
  if (asker.length > 0 && role === null) throw new Misuse('--asker requires --role')
  const known = asker.map((text) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name !== undefined) return [name, value] as const
    throw new Misuse(`--asker ${text} must contain a name and a value, such as --asker customerId=7`)
  })
  return { queries, log, role, asker: Object.fromEntries(known) as Advising['asker'], applies }
}

function readIntrospectWords(values: ArgumentValues): IntrospectWords {
  const { check = false, force = false, schema = null, tables = [], view = [] } = values
  const { 'dry-run': isDry = false, out = 'content-types' } = values
  if ([check, isDry, force].filter(Boolean).length > 1)
    throw new Misuse('use only one of the flags --check, --dry-run and --force')
  return {
    ...{ out, schema, views: new Map(view.map(readView)), overwrites: force },
    tables: tables.flatMap((list) => list.split(',')).filter(Boolean),
    when: check ? 'never, but compare' : isDry ? 'dry run' : 'once',
  }
}

function examplesRoleOf({ examples, role }: ArgumentValues, source: Source): OpenApiTarget['examplesOf'] {
  if (examples !== true) return null
  if (role === undefined)
    throw new Misuse('--examples requires --role, because each example is a response for a role')
  if (typeof source === 'object' && source !== null)
    throw new Misuse('--examples requires a config with permissions')
  return role
}

interface GivenWords {
  readonly values: ArgumentValues
  readonly words: readonly string[]
  /** The folder of `start`, or the types of `export`. */
  readonly named: readonly string[]
  readonly source: Source
}

const exportFormats = ['ndjson', 'csv', 'json', 'seed']

function readExportWords(types: readonly string[], values: ArgumentValues): ExportTarget {
  const { format = 'ndjson', role = null, out = null } = values
  const query = (values.query ?? []).map((text) => text.replace(/^\?/, '')).join('&')
  if (!exportFormats.includes(format)) throw new Misuse(`--format must be one of ${exportFormats.join(', ')}`)
  if (format !== 'seed' && types.length !== 1)
    throw new Misuse('export needs one type. Write content-router export articles')
  if (format === 'seed' && query !== '') throw new Misuse('--query is not supported with --format seed')
  return { types, format, query, role, out }
}

function ownWords(name: CommandName, { values, words, named, source }: GivenWords): OwnWords {
  const { role = null, user = null, out = null, url = '/', adopt = [], grants = false } = values
  switch (name) {
    case 'start':
      return { kind: name, starting: readStartWords(named[0] ?? null, values) }
    case 'introspect':
      return { kind: name, introspecting: readIntrospectWords(values) }
    case 'migrate': {
      const { 'dry-run': dryRun = false, 'strapi-database': strapiDatabase = false } = values
      return { kind: name, options: { dryRun, strapiDatabase, adopt } }
    }
    case 'search-index': {
      const { check = false, 'dry-run': isDry = false } = values
      if (check && isDry) throw new Misuse('--check cannot be combined with --dry-run')
      return { kind: name, when: check ? 'never, but compare' : isDry ? 'dry run' : 'once' }
    }
    case 'check':
      if (grants !== (user !== null)) throw new Misuse('--grants and --user must be set together')
      if (user !== null && role !== null) throw new Misuse('--grants cannot be combined with --role')
      return { kind: name, checking: { role, user } }
    case 'advise':
      return { kind: name, advising: readAdvising(values) }
    case 'types':
      return { kind: name, writing: { role, out, when: whenOf(values), words } }
    case 'export':
      return { kind: name, exporting: readExportWords(named, values) }
    case 'mcp':
      return { kind: name, role }
    case 'openapi': {
      const when = whenOf(values)
      return { kind: name, writing: { role, out, when, url, examplesOf: examplesRoleOf(values, source) } }
    }
  }
}

const isCommand = (name: string): name is CommandName => commandNames.some((one) => one === name)

/** The command, and its arguments. A single folder is an argument of `start`. */
function namedIn(names: readonly string[]): readonly [CommandName, ...string[]] {
  const [first = 'start', ...more] = names
  if (isCommand(first)) return [first, ...more]
  if (isFolder(first)) return ['start', first, ...more]
  const meant = nearest(first, commandNames)
  throw new Misuse(
    `${first} is not a command or a folder${meant === undefined ? '' : `: did you mean ${meant}?`}`,
  )
}

function refuseIdleFlags(name: CommandName, values: ArgumentValues): void {
  const known = flagsOf(name)
  const idle = commandNames.flatMap(flagsOf).find((flag) => flag in values && !known.includes(flag))
  if (idle === undefined) return
  const takers = commandNames.filter((taker) => flagsOf(taker).includes(idle))
  throw new Misuse(`--${idle} is supported only by ${takers.join(' and ')}`)
}

export function readArguments(words: readonly string[]): Command {
  const { positionals, values: given } = parseWords(words)
  if (given.version === true) return { kind: 'version' }
  if (given.help === true) return { kind: 'help', about: positionals.find(isCommand) ?? null }
  const [name, ...names] = namedIn(positionals)
  const most = name === 'export' ? Infinity : Number(name === 'start')
  const [named, others] = [names.slice(0, most), names.slice(most)]
  if (others.length > 0) throw new Misuse(`only one command can run at a time. Remove ${others.join(' ')}`)
  refuseIdleFlags(name, given)
  const values = name === 'start' ? withAbsolutePaths(given) : given
  const source = sourceOf(name, values)
  const extensions = values.strapi5 === true ? [strapi5()] : []
  return { source, extensions, ...ownWords(name, { values, words, named, source }) }
}
