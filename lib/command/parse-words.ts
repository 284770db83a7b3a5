import { parseArgs } from 'node:util'

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
  strapi5: { type: 'boolean' },
  role: { type: 'string' },
  out: { type: 'string' },
  url: { type: 'string' },
  version: { type: 'string' },
  check: { type: 'boolean' },
  watch: { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  beside: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export type FlagName = keyof typeof options

export function parseWords(words: readonly string[]) {
  return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
}

export type ArgumentValues = ReturnType<typeof parseWords>['values']
