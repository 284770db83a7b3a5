import { parseArgs } from 'node:util'
import type { ContentTypesConfig } from '../config'
import { clientOf } from '../database'
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

const options = {
  config: { type: 'string' },
  'content-types': { type: 'string', multiple: true },
  client: { type: 'string' },
  connection: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'strapi-database': { type: 'boolean' },
  strapi5: { type: 'boolean' },
  role: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

function parse(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
}

type ArgumentValues = ReturnType<typeof parse>['values']

function sourceOf(values: ArgumentValues): Source | Misuse {
  const { config, connection, 'content-types': folders } = values
  if (folders === undefined && values.client === undefined && connection === undefined) {
    return { kind: 'file', file: config ?? null }
  }
  if (config !== undefined) return misuse('--config and the flags that replace it exclude each other')
  const client = values.client ?? clientOf(connection)
  if (folders === undefined || client === undefined || connection === undefined) {
    return misuse('--content-types and --connection belong together, and --client where no URL tells it')
  }
  return { kind: 'flags', folders, client, connection }
}

function commandOf(names: readonly string[], values: ArgumentValues): Command | Misuse {
  if (values.help === true) return { kind: 'help' }
  const [name, ...more] = names
  if (name === undefined) return misuse('no command given')
  if (name !== 'migrate' && name !== 'check') return misuse(`unknown command ${name}`)
  if (more.length > 0) return misuse(`one command at a time: ${more.join(' ')} is too much`)
  const dryRun = values['dry-run'] === true
  if (dryRun && name === 'check') return misuse('--dry-run goes with migrate: check changes nothing anyway')
  if (values.role !== undefined && name === 'migrate') return misuse('--role goes with check')
  const strapiDatabase = values['strapi-database'] === true
  if (strapiDatabase && name === 'check') return misuse('--strapi-database goes with migrate')
  const source = sourceOf(values)
  if ('message' in source) return source
  const given = { source, preset: values.strapi5 === true ? strapi5 : {} }
  return name === 'migrate'
    ? { ...given, kind: name, options: { dryRun, strapiDatabase } }
    : { ...given, kind: name, role: values.role ?? null }
}

export function readArguments(words: readonly string[]): Command | Misuse {
  try {
    const { positionals, values } = parse(words)
    return commandOf(positionals, values)
  } catch (error) {
    return misuse(error instanceof Error ? error.message : String(error))
  }
}
