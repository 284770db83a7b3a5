import { existsSync, statSync } from 'node:fs'
import { clientOf } from '../../lib/database'
import type { Extension } from '../../lib/http'
import { strapi5 } from '../../extensions/strapi'
import { nearest } from '../../lib/schema'
import type { MigrateOptions } from '../../lib/tables'
import type { IntrospectOptions } from '../introspect'
import { type ArgumentValues, type FlagName, misuse, type Misuse, parseWords } from './parse-words'

/** Flags of `start`, except for the source of definitions and tables. */
export interface StartWords {
  readonly folder: string | null
  readonly connection: { readonly client: string | undefined; readonly where: string } | null
  readonly role: string | null
  readonly host: string
  readonly port: number
  readonly beside: string | null
}

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

const loopback = '127.0.0.1'

function portOf(text = '0'): number | Misuse {
  const port = Number(text)
  return /^\d+$/.test(text) && port <= 65_535
    ? port
    : misuse(`--port ${text} must be a number from 0 to 65535`)
}

const isWebAddress = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

/** A missing file with another name is more likely a typing error, or the settings of a server. */
const isSqliteFile = (where: string): boolean =>
  /\.(db3?|sqlite3?)$/i.test(where) || (existsSync(where) && statSync(where).isFile())

function clientFor(where: string): string | Misuse {
  const client = clientOf(where) ?? (isSqliteFile(where) ? 'better-sqlite3' : undefined)
  return (
    client ??
    misuse(
      '--connection must be a URL, such as postgres://…, or a SQLite file, such as content.db; or add --client',
    )
  )
}

/** Together with definitions, the connection is part of them. */
function connectionOf({
  client,
  connection,
  'content-types': folders,
}: ArgumentValues): StartWords['connection'] {
  return connection === undefined || folders !== undefined ? null : { client, where: connection }
}

function readStartWords(folder: string | null, values: ArgumentValues): StartWords | Misuse {
  if (folder !== null && !isFolder(folder))
    return misuse(existsSync(folder) ? `${folder} is a file, not a folder` : `there is no folder ${folder}`)
  const port = portOf(values.port)
  if (typeof port === 'object') return port
  const { beside = null, host = loopback, role = null } = values
  if (beside !== null && !isWebAddress(beside))
    return misuse(`--beside needs the URL of a Strapi server, such as http://localhost:1337`)
  return { folder, connection: connectionOf(values), role, host, port, beside }
}

export type Source =
  | { readonly kind: 'file'; readonly file: string | null }
  /** No database is used. */
  | { readonly kind: 'folders'; readonly folders: readonly string[] }
  | {
      readonly kind: 'flags'
      readonly folders: readonly string[]
      readonly client: string
      readonly connection: string
    }

/** The source of definitions and tables, and extensions named by flags. */
interface Reached {
  readonly source: Source
  readonly extensions: readonly Extension[]
}

export type Command =
  | { readonly kind: 'help'; readonly about: CommandName | null }
  | { readonly kind: 'version' }
  | (Reached & { readonly kind: 'start'; readonly starting: StartWords })
  | (Reached & { readonly kind: 'introspect'; readonly introspecting: IntrospectWords })
  | (Reached & { readonly kind: 'migrate'; readonly options: MigrateOptions })
  | (Reached & { readonly kind: 'check'; readonly checking: Checking })
  | (Reached & { readonly kind: 'types'; readonly writing: TypesTarget })
  | (Reached & { readonly kind: 'openapi'; readonly writing: OpenApiTarget })

export interface IntrospectWords extends IntrospectOptions {
  /** Null: the database of the config. */
  readonly connection: StartWords['connection']
  readonly out: string
  readonly when: 'once' | 'dry run' | 'never, but compare'
  readonly overwrites: boolean
}

/** A role, or a user of the database, whose permissions are printed. */
export interface Checking {
  readonly role: string | null
  readonly user: string | null
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

function sourceOf(name: CommandName, values: ArgumentValues): Source | Misuse {
  const { config, connection, 'content-types': folders } = values
  if (folders === undefined && values.client === undefined && connection === undefined) {
    return { kind: 'file', file: config ?? null }
  }
  if (config !== undefined) return misuse('--config and the flags that replace it exclude each other')
  if ((name === 'types' || name === 'openapi') && folders !== undefined) return { kind: 'folders', folders }
  if ((name === 'start' || name === 'introspect') && folders === undefined && connection !== undefined)
    return { kind: 'file', file: null }
  if (folders === undefined || connection === undefined) {
    return misuse('--content-types and --connection go together')
  }
  const client = values.client ?? clientFor(connection)
  return typeof client === 'object' ? client : { kind: 'flags', folders, client, connection }
}

export const ownFlags = {
  migrate: ['dry-run', 'strapi-database', 'adopt'],
  check: ['role', 'grants', 'user'],
  types: ['role', 'out', 'check', 'watch'],
  openapi: ['role', 'out', 'check', 'url', 'examples'],
  start: ['role', 'port', 'host', 'beside'],
  introspect: ['out', 'tables', 'schema', 'view', 'dry-run', 'force', 'check'],
} as const satisfies Readonly<Record<string, readonly FlagName[]>>

export type CommandName = keyof typeof ownFlags

const isCommand = (name: string): name is CommandName => Object.hasOwn(ownFlags, name)

/** The error of a flag that the command does not have. */
function idleFlag(name: CommandName, values: ArgumentValues): Misuse | null {
  const known: readonly string[] = ownFlags[name]
  const all = Object.entries(ownFlags)
  const idle = all.flatMap(([, flags]) => flags).find((flag) => flag in values && !known.includes(flag))
  if (idle === undefined) return null
  const takers = all.filter(([, flags]) => flags.some((flag) => flag === idle)).map(([taker]) => taker)
  return misuse(`--${idle} goes with ${takers.join(' and ')}`)
}

function whenOf({ check, watch, out }: ArgumentValues): TypesTarget['when'] | Misuse {
  if (check !== true && watch !== true) return 'once'
  if (check === true && watch === true) return misuse('--check and --watch exclude each other')
  if (out === undefined) return misuse(`--${check === true ? 'check' : 'watch'} needs --out, a file`)
  return check === true ? 'never, but compare' : 'on change'
}

/** `film_list=fid` is a view and its unique column. */
function viewsOf({ view = [] }: ArgumentValues): ReadonlyMap<string, string> | Misuse {
  const pairs = view.map((text): readonly [string, string] => {
    const at = text.lastIndexOf('=')
    return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  })
  const wrong = pairs.findIndex((pair) => pair.includes(''))
  return wrong === -1
    ? new Map(pairs)
    : misuse(`--view ${view[wrong] ?? ''} has to name a view and its unique column: --view film_list=fid`)
}

function readIntrospectWords(values: ArgumentValues): IntrospectWords | Misuse {
  const { check = false, force = false, schema = null, tables = [], out = 'content-types' } = values
  const dryRun = values['dry-run'] === true
  if ([check, dryRun, force].filter(Boolean).length > 1)
    return misuse('--check, --dry-run and --force exclude each other')
  if (values['content-types'] !== undefined)
    return misuse('introspect writes definitions: name their folder with --out, not with --content-types')
  const views = viewsOf(values)
  if ('message' in views) return views
  return {
    ...{ connection: connectionOf(values), out, schema, views, overwrites: force },
    tables: tables.flatMap((list) => list.split(',')).filter(Boolean),
    when: check ? 'never, but compare' : dryRun ? 'dry run' : 'once',
  }
}

function examplesRoleOf(
  { examples, role }: ArgumentValues,
  { source }: Reached,
): OpenApiTarget['examplesOf'] | Misuse {
  if (examples !== true) return null
  if (role === undefined) return misuse('--examples needs --role: the examples are responses for that role')
  return source.kind === 'file' ? role : misuse('--examples needs a config with permissions')
}

interface GivenWords {
  readonly values: ArgumentValues
  readonly words: readonly string[]
  readonly folder: string | null
}

function givenTo(
  name: CommandName,
  reached: Reached,
  { values, words, folder }: GivenWords,
): Command | Misuse {
  const { role = null, user = null, out = null, url = '/' } = values
  switch (name) {
    case 'start': {
      const starting = readStartWords(folder, values)
      return 'message' in starting ? starting : { ...reached, kind: name, starting }
    }
    case 'introspect': {
      const introspecting = readIntrospectWords(values)
      return 'message' in introspecting ? introspecting : { ...reached, kind: name, introspecting }
    }
    case 'migrate': {
      const dryRun = values['dry-run'] === true
      const strapiDatabase = values['strapi-database'] === true
      return { ...reached, kind: name, options: { dryRun, strapiDatabase, adopt: values.adopt ?? [] } }
    }
    case 'check':
      if ((values.grants === true) !== (user !== null)) return misuse('--grants and --user go together')
      if (user !== null && role !== null) return misuse('--grants and --role exclude each other')
      return { ...reached, kind: name, checking: { role, user } }
    case 'types': {
      const when = whenOf(values)
      return typeof when === 'object' ? when : { ...reached, kind: name, writing: { role, out, when, words } }
    }
    case 'openapi': {
      const when = whenOf(values)
      if (typeof when === 'object') return when
      const examplesOf = examplesRoleOf(values, reached)
      if (typeof examplesOf === 'object' && examplesOf !== null) return examplesOf
      return { ...reached, kind: name, writing: { role, out, when, url, examplesOf } }
    }
  }
}

interface NamedCommand {
  readonly name: CommandName
  readonly more: readonly string[]
}

function unknownName(name: string): string {
  const meant = nearest(name, Object.keys(ownFlags))
  return `${name} is not a command or a folder${meant === undefined ? '' : `: did you mean ${meant}?`}`
}

/** A single folder is an argument of `start`. */
function namedIn(names: readonly string[]): NamedCommand | Misuse {
  const [first = 'start', ...more] = names
  if (isCommand(first)) return { name: first, more }
  return isFolder(first) ? { name: 'start', more: names } : misuse(unknownName(first))
}

function commandOf(
  names: readonly string[],
  values: ArgumentValues,
  words: readonly string[],
): Command | Misuse {
  if (values.help === true) return { kind: 'help', about: names.find(isCommand) ?? null }
  const named = namedIn(names)
  if ('message' in named) return named
  const { name, more } = named
  const [folder = null, ...others] = name === 'start' ? more : [undefined, ...more]
  if (others.length > 0) return misuse(`one command at a time: remove ${others.join(' ')}`)
  const idle = idleFlag(name, values)
  if (idle !== null) return idle
  const source = sourceOf(name, values)
  if ('message' in source) return source
  const extensions = values.strapi5 === true ? [strapi5()] : []
  return givenTo(name, { source, extensions }, { values, words, folder })
}

const isVersionFlag = ([word = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && ['-v', '--version'].includes(word)

export function readArguments(words: readonly string[]): Command | Misuse {
  if (isVersionFlag(words)) return { kind: 'version' }
  const parsed = parseWords(words)
  return 'message' in parsed ? parsed : commandOf(parsed.positionals, parsed.values, words)
}
