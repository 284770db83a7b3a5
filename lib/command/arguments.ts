import { parseArgs } from 'node:util'
import type { ContentTypesConfig } from '../config'
import { clientOf } from '../database'
import { type OpenApiVersion, openApiVersions } from '../describe'
import { strapi5 } from '../preset'
import type { MigrateOptions } from '../tables'

/** The command line or the config file is wrong: its message is for the person who wrote it. */
export interface Misuse {
  readonly kind: 'misuse'
  readonly message: string
}

export const misuse = (message: string): Misuse => ({ kind: 'misuse', message })

export type Source =
  | { readonly kind: 'file'; readonly file: string | null }
  /** No database is asked. */
  | { readonly kind: 'folders'; readonly folders: readonly string[] }
  | {
      readonly kind: 'flags'
      readonly folders: readonly string[]
      readonly client: string
      readonly connection: string
    }

/** Where the definitions and the tables are, and how they are read where the config file does not say. */
interface Reached {
  readonly source: Source
  readonly preset: Partial<ContentTypesConfig>
}

export type Command =
  | { readonly kind: 'help' }
  | (Reached & { readonly kind: 'migrate'; readonly options: MigrateOptions })
  | (Reached & { readonly kind: 'check'; readonly role: string | null })
  | (Reached & { readonly kind: 'types'; readonly writing: TypesAsked })
  | (Reached & { readonly kind: 'openapi'; readonly writing: OpenApiAsked })

/** For whom types are written, and where to. */
export interface TypesAsked {
  /** Null: of all that is not private. */
  readonly role: string | null
  /** Null: the standard output. */
  readonly out: string | null
  readonly when: 'once' | 'on change' | 'never, but compare'
  /** As it was asked for, to be asked for again. */
  readonly words: readonly string[]
}

export interface OpenApiAsked extends Omit<TypesAsked, 'words'> {
  /** Where the router is mounted. */
  readonly url: string
  readonly openapi: OpenApiVersion
}

const options = {
  config: { type: 'string' },
  'content-types': { type: 'string', multiple: true },
  client: { type: 'string' },
  connection: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'strapi-database': { type: 'boolean' },
  strapi5: { type: 'boolean' },
  role: { type: 'string' },
  out: { type: 'string' },
  url: { type: 'string' },
  version: { type: 'string' },
  check: { type: 'boolean' },
  watch: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

function parse(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
}

type ArgumentValues = ReturnType<typeof parse>['values']

function sourceOf(name: CommandName, values: ArgumentValues): Source | Misuse {
  const { config, connection, 'content-types': folders } = values
  if (folders === undefined && values.client === undefined && connection === undefined) {
    return { kind: 'file', file: config ?? null }
  }
  if (config !== undefined) return misuse('--config and the flags that replace it exclude each other')
  if ((name === 'types' || name === 'openapi') && folders !== undefined) return { kind: 'folders', folders }
  const client = values.client ?? clientOf(connection)
  if (folders === undefined || client === undefined || connection === undefined) {
    return misuse('--content-types and --connection belong together, and --client where no URL tells it')
  }
  return { kind: 'flags', folders, client, connection }
}

const ownFlags = {
  migrate: ['dry-run', 'strapi-database'],
  check: ['role'],
  types: ['role', 'out', 'check', 'watch'],
  openapi: ['role', 'out', 'check', 'url', 'version'],
} as const satisfies Readonly<Record<string, readonly (keyof typeof options)[]>>

type CommandName = keyof typeof ownFlags

const isCommand = (name: string): name is CommandName => Object.hasOwn(ownFlags, name)

/** What is said to a command that has no use for it. */
function idleFlag(name: CommandName, values: ArgumentValues): Misuse | null {
  const known: readonly string[] = ownFlags[name]
  const all = Object.entries(ownFlags)
  const idle = all.flatMap(([, flags]) => flags).find((flag) => flag in values && !known.includes(flag))
  if (idle === undefined) return null
  const takers = all.filter(([, flags]) => flags.some((flag) => flag === idle)).map(([taker]) => taker)
  return misuse(`--${idle} goes with ${takers.join(' and ')}`)
}

/** What is written once again at each change is the same file. */
function whenOf({ check, watch, out }: ArgumentValues): TypesAsked['when'] | Misuse {
  if (check !== true && watch !== true) return 'once'
  if (check === true && watch === true) return misuse('--check and --watch exclude each other')
  if (out === undefined) return misuse(`--${check === true ? 'check' : 'watch'} needs --out, a file`)
  return check === true ? 'never, but compare' : 'on change'
}

interface GivenWords {
  readonly values: ArgumentValues
  readonly words: readonly string[]
}

function givenTo(name: CommandName, reached: Reached, { values, words }: GivenWords): Command | Misuse {
  const { role = null, out = null, url = '/', version = '3.1' } = values
  switch (name) {
    case 'migrate': {
      const dryRun = values['dry-run'] === true
      const strapiDatabase = values['strapi-database'] === true
      return { ...reached, kind: name, options: { dryRun, strapiDatabase } }
    }
    case 'check':
      return { ...reached, kind: name, role }
    case 'types': {
      const when = whenOf(values)
      return typeof when === 'object' ? when : { ...reached, kind: name, writing: { role, out, when, words } }
    }
    case 'openapi': {
      const when = whenOf(values)
      const openapi = openApiVersions.find((one) => one === version)
      if (openapi === undefined) return misuse(`--version is ${openApiVersions.join(' or ')}`)
      if (typeof when === 'object') return when
      return { ...reached, kind: name, writing: { role, out, when, url, openapi } }
    }
  }
}

function commandOf(
  names: readonly string[],
  values: ArgumentValues,
  words: readonly string[],
): Command | Misuse {
  if (values.help === true) return { kind: 'help' }
  const [name, ...more] = names
  if (name === undefined) return misuse('no command given')
  if (!isCommand(name)) return misuse(`unknown command ${name}`)
  if (more.length > 0) return misuse(`one command at a time: ${more.join(' ')} is too much`)
  const idle = idleFlag(name, values)
  if (idle !== null) return idle
  const source = sourceOf(name, values)
  if ('message' in source) return source
  return givenTo(name, { source, preset: values.strapi5 === true ? strapi5 : {} }, { values, words })
}

export function readArguments(words: readonly string[]): Command | Misuse {
  try {
    const { positionals, values } = parse(words)
    return commandOf(positionals, values, words)
  } catch (error) {
    return misuse(error instanceof Error ? error.message : String(error))
  }
}
