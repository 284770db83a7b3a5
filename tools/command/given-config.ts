import { unescape } from 'node:querystring'
import type { ContentTypesConfig, Logger } from '../../lib/config'
import { advisedByStrapi, isOfStrapi, sentenceFor, strapiConfig, strapiFolder } from '../start'
import type { DatabaseOption } from '../../lib/database'
import { ConfigError, TablesError } from '../../lib/errors'
import type { Command } from './arguments'
import { isUnnamed, readConfigFile, withExtensions } from './config-file'
import type { Output } from './output'

function secretsIn(connection: unknown): readonly string[] {
  if (typeof connection === 'string') {
    const password = URL.canParse(connection) ? new URL(connection).password : connection
    return [password, unescape(password)]
  }
  const { password } = (connection ?? {}) as { password?: unknown }
  return typeof password === 'string' ? [password] : []
}

/** The message of a driver or a server without stack; without the message, if it repeats the password. */
function describeError(error: unknown, database: DatabaseOption): string {
  if (error instanceof ConfigError || error instanceof TablesError) return error.message
  const { code, message } = error as { code?: unknown; message?: unknown }
  const name = typeof code === 'string' ? code : 'Failed'
  const words = typeof message === 'string' ? message : ''
  const secrets =
    typeof database === 'object' && 'connection' in database ? secretsIn(database.connection) : []
  const tells = secrets.some((secret) => secret !== '' && words.includes(secret))
  if (words === '' || tells) return `${name}: the database cannot be used`
  return words.startsWith(name) ? words : `${name}: ${words}`
}

export type GivenCommand = Exclude<Command, { kind: 'help' | 'version' | 'start' | 'introspect' }>

export interface GivenConfig {
  readonly config: ContentTypesConfig
  readonly inWords: (error: unknown) => string
  readonly close: () => Promise<void>
}

function warnThrough(output: Output): Logger {
  const warn = (facts: object, message: string): void => {
    const shownFacts = Object.entries(facts).map(([name, fact]) => `${name}: ${String(fact)}`)
    output.complain(`warning: ${message} (${shownFacts.join(', ')})`)
  }
  return { debug: () => undefined, info: () => undefined, warn, error: warn }
}

const asksDatabase = (command: GivenCommand): boolean =>
  command.kind === 'check' ||
  command.kind === 'export' ||
  command.kind === 'mcp' ||
  command.kind === 'advise' ||
  (command.kind === 'openapi' && command.writing.examplesOf !== null)

const changesDatabase = (command: GivenCommand): boolean =>
  command.kind === 'migrate' || (command.kind === 'advise' && command.advising.applies)

/** Null without a project, and for changes, which need a named source. */
function projectConfig(command: GivenCommand): GivenConfig | null {
  if (changesDatabase(command) || !isUnnamed(command.source)) return null
  const project = strapiFolder(process.cwd())
  if (project === null) return null
  const inWords = (error: unknown): string => sentenceFor(advisedByStrapi(error))
  return { ...strapiConfig(project, asksDatabase(command)), inWords }
}

async function namedConfig({ source, extensions }: GivenCommand): Promise<GivenConfig> {
  const config = await readConfigFile(source)
  return {
    config: withExtensions(config, extensions),
    inWords: (error) => describeError(error, config.database),
    close: async () => {
      // The command closes a Knex instance of the config file, or it would keep the process alive.
      if (typeof config.database === 'function') await config.database.destroy()
    },
  }
}

/** A config may serve Strapi's types without its form of responses. */
function warnOfStrapi({ kind, source, extensions }: GivenCommand, output: Output): void {
  if ((kind !== 'types' && kind !== 'openapi') || typeof source !== 'object' || extensions.length > 0) return
  const folder = [source?.contentTypes].flat().find((one) => typeof one === 'string' && isOfStrapi(one))
  if (typeof folder === 'string')
    output.complain(
      `warning: ${folder} is part of a Strapi project: add --strapi5, or the result differs from the responses of strapi5()`,
    )
}

/** The named source or, without one, the Strapi project that `start` would find. */
export async function givenConfig(command: GivenCommand, output: Output): Promise<GivenConfig> {
  warnOfStrapi(command, output)
  const given = projectConfig(command) ?? (await namedConfig(command))
  return { ...given, config: { logger: warnThrough(output), ...given.config } }
}
