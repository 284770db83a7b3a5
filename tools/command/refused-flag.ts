import type { ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '../../lib/schema'

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
export type FlagTable = NonNullable<ParseArgsConfig['options']>

const isFlag = (token: Token, name: string): boolean => token.kind === 'option' && token.name === name

/** What is wrong with a flag as it is written behind others; null where nothing is. */
export function refusedFlag(token: Token, flags: FlagTable, before: readonly Token[]): string | null {
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
  return isNext
    ? `--${name} needs a value, and ${value} follows: write --${name}=${value} if it is one`
    : null
}
