import { parseArgs } from 'node:util'
import { refusedFlag } from './refused-flag'

/** The command line or the config file is wrong: its message is for the person who wrote it. */
export interface Misuse {
  readonly kind: 'misuse'
  readonly message: string
}

export const misuse = (message: string): Misuse => ({ kind: 'misuse', message })

const options = {
  config: { type: 'string' },
  'content-types': { type: 'string', multiple: true },
  client: { type: 'string' },
  connection: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'strapi-database': { type: 'boolean' },
  adopt: { type: 'string', multiple: true },
  strapi5: { type: 'boolean' },
  grants: { type: 'boolean' },
  user: { type: 'string' },
  role: { type: 'string' },
  out: { type: 'string' },
  url: { type: 'string' },
  version: { type: 'string' },
  examples: { type: 'boolean' },
  check: { type: 'boolean' },
  watch: { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  beside: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export type FlagName = keyof typeof options

const parsed = (words: readonly string[]) =>
  parseArgs({ args: [...words], options, allowPositionals: true, strict: true })

export type ParsedWords = Pick<ReturnType<typeof parsed>, 'values' | 'positionals'>
export type ArgumentValues = ParsedWords['values']

/** Node's own words for what is wrong are for those who write commands. */
export function parseWords(words: readonly string[]): ParsedWords | Misuse {
  const { tokens } = parseArgs({
    ...{ args: [...words], options, tokens: true },
    ...{ allowPositionals: true, strict: false },
  })
  const [problem] = tokens.flatMap((token, at) => refusedFlag(token, options, tokens.slice(0, at)) ?? [])
  return problem === undefined ? parsed(words) : misuse(problem)
}
