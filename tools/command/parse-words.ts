import { parseArgs, type ParseArgsConfig } from 'node:util'
import { nearest } from '../../lib/schema'

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
type FlagTable = NonNullable<ParseArgsConfig['options']>

const isFlag = (token: Token, name: string): boolean => token.kind === 'option' && token.name === name

function refusedFlag(token: Token, flags: FlagTable, before: readonly Token[]): string | null {
  if (token.kind !== 'option') return null
  const { name, rawName, value } = token
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
  if (flag === undefined) {
    const meant = nearest(name, Object.keys(flags))
    return `there is no flag ${rawName}${meant === undefined ? '' : `: did you mean --${meant}?`}`
  }
  if (flag.multiple !== true && before.some((one) => isFlag(one, name))) return `--${name} is given twice`
  if (flag.type === 'boolean') return value === undefined ? null : `${rawName} takes no value`
  if (value === undefined || value === '') return `--${name} needs a value`
  const isNext = value.startsWith('-') && !token.inlineValue
  return isNext ? `--${name} needs a value. If the value is ${value}, write --${name}=${value}` : null
}

/** The command line or the config file is wrong: the message is for its author. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}

export const options = {
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
  query: { type: 'string', multiple: true },
  log: { type: 'string' },
  apply: { type: 'boolean' },
  role: { type: 'string' },
  asker: { type: 'string', multiple: true },
  out: { type: 'string' },
  url: { type: 'string' },
  format: { type: 'string' },
  examples: { type: 'boolean' },
  check: { type: 'boolean' },
  watch: { type: 'boolean' },
  tables: { type: 'string', multiple: true },
  schema: { type: 'string' },
  view: { type: 'string', multiple: true },
  force: { type: 'boolean' },
  port: { type: 'string' },
  host: { type: 'string' },
  beside: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

export type FlagName = keyof typeof options

const parsed = (words: readonly string[]) =>
  parseArgs({ args: [...words], options, allowPositionals: true, strict: true })

type ParsedWords = Pick<ReturnType<typeof parsed>, 'values' | 'positionals'>
export type ArgumentValues = ParsedWords['values']

/** Node's own messages are written for developers of commands. */
export function parseWords(words: readonly string[]): ParsedWords {
  const { tokens } = parseArgs({
    ...{ args: [...words], options, tokens: true },
    ...{ allowPositionals: true, strict: false },
  })
  const [problem] = tokens.flatMap((token, at) => refusedFlag(token, options, tokens.slice(0, at)) ?? [])
  if (problem !== undefined) throw new Misuse(problem)
  return parsed(words)
}
