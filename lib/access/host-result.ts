import { types } from 'node:util'
import { type AskerTexts, type Identity, isPromise, isTable, type Rule } from '../config'
import { ConfigError } from '../errors'

/** The value may be a name or a token. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return typeof value === 'string' ? 'a string' : `a ${typeof value}`
  if (Array.isArray(value)) return 'a list'
  return isPromise(value) ? 'a promise' : 'an object'
}

/** A wrong result of a host function grants nothing. */
export function wrongHostResult(
  where: string,
  answer: unknown,
  remedy: string,
  holder = 'the result of the function is ',
): ConfigError {
  // An unhandled rejection would end the process.
  if (isPromise(answer)) answer.then(undefined, () => undefined)
  return new ConfigError([{ where, problem: `${holder}${kindOf(answer)}`, remedy }])
}

const words = {
  role: {
    subject: 'the result of the function',
    askerRemedy: `return { roles: ['member'], asker: { customerId: 7 } }. The values in asker can be strings, numbers, booleans and dates`,
    roleRemedy: `return a role, a list of roles, or null for no role. To give anonymous callers a role, write (req) => req.user?.role ?? 'public'`,
  },
  as: {
    subject: 'the argument of as()',
    askerRemedy: `call as({ roles: ['member'], asker: { customerId: 7 } }). The values in asker can be strings, numbers, booleans and dates`,
    roleRemedy: `call as('member') or as(['member', 'editor']). For anonymous callers, call as('public')`,
  },
} as const

export const nothingKnown: AskerTexts = new Map()

/** Null: no role. */
export function identityOfHostResult(answer: unknown): Identity | null {
  const roles = isTable(answer) ? answer['roles'] : answer
  return roles === null ? null : readIdentity(answer, 'role')
}

/** A call without a role is a mistake. */
export const identityGiven = (given: unknown): Identity => readIdentity(given, 'as')

function readIdentity(answer: unknown, where: keyof typeof words): Identity {
  const { roles, asker } = isTable(answer) && 'roles' in answer ? answer : { roles: answer, asker: null }
  return { kind: 'roles', roles: readRoles(roles, where), asker: readAsker(asker, where) }
}

/** Null: no value. Undefined: a value that cannot be compared with. */
function textIn(value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null
  // `Number(req.user?.id)` may be NaN, and large integers are rounded.
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0) ? String(value) : null
  if (types.isDate(value)) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  return typeof value === 'string' ? value : undefined
}

/** Missing values match no rule. */
function readAsker(asker: unknown, where: keyof typeof words): AskerTexts {
  if (asker === undefined || asker === null) return nothingKnown
  const { subject, askerRemedy } = words[where]
  if (!isTable(asker)) throw wrongHostResult(where, asker, askerRemedy, `asker in ${subject} is `)
  const known = new Map<string, string>()
  for (const [name, value] of Object.entries(asker)) {
    const text = textIn(value)
    if (text === undefined) throw wrongHostResult(where, value, askerRemedy, `asker in ${subject} contains `)
    if (text !== null) known.set(name, text)
  }
  return known
}

function readRoles(answer: unknown, where: keyof typeof words): readonly string[] {
  if (typeof answer === 'string') return [answer]
  const { subject, roleRemedy } = words[where]
  if (!Array.isArray(answer)) throw wrongHostResult(where, answer, roleRemedy, `${subject} is `)
  // The copy fills holes, and the host may change its own list.
  return Array.from(answer, (role: unknown) => {
    if (typeof role === 'string') return role
    throw wrongHostResult(where, role, roleRemedy, `${subject} is a list that contains `)
  })
}

export function ruleOfHostResult(where: string, answer: unknown): boolean | Rule {
  const isRule = isTable(answer) && ('where' in answer || 'fields' in answer)
  return isRule ? (answer as object as Rule) : isAllowedByHostResult(where, answer)
}

/** Promises are rejected: the function is called for every type and action of a request. */
export function isAllowedByHostResult(where: string, answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  const atOnce = isPromise(answer) ? ', not a promise. Load the data before this call' : ''
  throw wrongHostResult(where, answer, `return true or false${atOnce}`)
}
