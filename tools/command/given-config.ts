import type { ContentTypesConfig, Logger } from '../../lib/config'
import { sentenceFor, strapiConfig, strapiFolder } from '../start'
import type { Command } from './arguments'
import { isUnsaid, readConfigFile, withExtensions } from './config-file'
import { describeError } from './describe-error'
import type { Output } from './output'
import type { Misuse } from './parse-words'

export type GivenCommand = Exclude<Command, { kind: 'help' | 'version' | 'start' }>

/** What a command works on. */
export interface GivenConfig {
  readonly config: ContentTypesConfig
  /** What went wrong with it, in words that hold no password. */
  readonly inWords: (error: unknown) => string
  readonly close: () => Promise<void>
}

function warnThrough(output: Output): Logger {
  const warn = (facts: object, message: string): void => {
    const told = Object.entries(facts).map(([name, fact]) => `${name}: ${String(fact)}`)
    output.complain(`warning: ${message} (${told.join(', ')})`)
  }
  return { debug: () => undefined, info: () => undefined, warn, error: warn }
}

const asksDatabase = (command: GivenCommand): boolean =>
  command.kind === 'check' || (command.kind === 'openapi' && command.writing.examplesOf !== null)

/** Null where none is to be found, or looked for: tables are made of what somebody names. */
function projectConfig(command: GivenCommand): GivenConfig | null {
  if (command.kind === 'migrate' || !isUnsaid(command.source)) return null
  const project = strapiFolder(process.cwd())
  return project === null ? null : { ...strapiConfig(project, asksDatabase(command)), inWords: sentenceFor }
}

async function namedConfig({ source, extensions }: GivenCommand): Promise<GivenConfig | Misuse> {
  const config = await readConfigFile(source)
  if ('message' in config) return config
  return {
    config: withExtensions(config, extensions),
    inWords: (error) => describeError(error, config.database),
    close: async () => {
      // A Knex instance of the config file is ours to close here, or it would keep the process alive.
      if (typeof config.database === 'function') await config.database.destroy()
    },
  }
}

/** What is named; or where nothing is, the Strapi project that `start` would find. */
export async function givenConfig(command: GivenCommand, output: Output): Promise<GivenConfig | Misuse> {
  const given = projectConfig(command) ?? (await namedConfig(command))
  if ('message' in given) return given
  return { ...given, config: { logger: warnThrough(output), ...given.config } }
}
