import { types } from 'node:util'
import { type Rule, type AskerTexts, nothingKnown } from '../config'
import { ConfigError } from '../errors'

export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** The kind of a value, without the value, which may be a name or a token. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value !== 'object') return typeof value === 'string' ? 'a text' : `a ${typeof value}`
  if (Array.isArray(value)) return 'a list'
  return isPromise(value) ? 'a promise' : 'an object'
}

/** A function of the host answered what it must not. It grants nothing, and the host is told what to answer. */
export function wrongAnswer(
  where: string,
  answer: unknown,
  remedy: string,
  holder = 'answered ',
): ConfigError {
  // It is not awaited, and an unhandled rejection would end the process.
  if (isPromise(answer)) answer.then(undefined, () => undefined)
  return new ConfigError([{ where, problem: `${holder}${kindOf(answer)}`, remedy }])
}

/** Where the host says whose rights are meant, and in which words it is told what is wrong with that. */
interface RoleWords {
  readonly where: string
  readonly verb: string
  readonly askerRemedy: string
  readonly roleRemedy: string
}

const answered: RoleWords = {
  where: 'role',
  verb: 'answered',
  askerRemedy: `answer { roles: ['member'], asker: { customerId: 7 } }: texts, numbers, flags and dates`,
  roleRemedy: `answer a role, a list of roles, or null for nobody; for strangers (req) => req.user?.role ?? 'public'`,
}

const givenToAs: RoleWords = {
  where: 'as',
  verb: 'was given',
  askerRemedy: `use as({ roles: ['member'], asker: { customerId: 7 } }): texts, numbers, flags and dates`,
  roleRemedy: `use as('member') or as(['member', 'editor']); for strangers as('public')`,
}

/** Whose rights a request has, and what rules know of whoever asks. */
export interface AnsweredRoles {
  readonly roles: readonly string[]
  readonly asker: AskerTexts
}

/** Null: it has none. */
export function rolesOfHostAnswer(answer: unknown): AnsweredRoles | null {
  const isNobody = answer === null || (isAskerRoles(answer) && answer.roles === null)
  return isNobody ? null : rolesAndAsker(answer, answered)
}

/** Of a call that names them. Nobody has no rights, and a call by nobody is a slip. */
export const rolesGiven = (who: unknown): AnsweredRoles => rolesAndAsker(who, givenToAs)

function rolesAndAsker(answer: unknown, words: RoleWords): AnsweredRoles {
  if (!isAskerRoles(answer)) return { roles: rolesIn(answer, words), asker: nothingKnown }
  return { roles: rolesIn(answer.roles, words), asker: askerIn(answer.asker, words) }
}

const isAskerRoles = (answer: unknown): answer is { readonly roles: unknown; readonly asker?: unknown } =>
  typeof answer === 'object' && answer !== null && 'roles' in answer

const plainTypes: readonly string[] = ['string', 'number', 'bigint', 'boolean']

function textIn(value: unknown): string | null {
  if (plainTypes.includes(typeof value)) return String(value)
  return types.isDate(value) ? value.toISOString() : null
}

/** What is not there makes no number, `Number(req.user?.id)`, and a whole one that is too large has become another. */
const isNoNumber = (value: number): boolean =>
  !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))

const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'number' && isNoNumber(value)) ||
  (types.isDate(value) && Number.isNaN(value.getTime()))

/** What is not there is nothing that a rule could be met by. */
function askerIn(asker: unknown, { where, verb, askerRemedy }: RoleWords): AskerTexts {
  if (asker === undefined || asker === null) return nothingKnown
  if (typeof asker !== 'object' || Array.isArray(asker) || isPromise(asker))
    throw wrongAnswer(where, asker, askerRemedy, `${verb} as asker `)
  const known = new Map<string, string>()
  for (const [name, value] of Object.entries(asker as Readonly<Record<string, unknown>>)) {
    if (isNothing(value)) continue
    const text = textIn(value)
    if (text === null) throw wrongAnswer(where, value, askerRemedy, `${verb} an asker that holds `)
    known.set(name, text)
  }
  return known
}

function rolesIn(answer: unknown, { where, verb, roleRemedy }: RoleWords): readonly string[] {
  if (typeof answer === 'string') return [answer]
  if (!Array.isArray(answer)) throw wrongAnswer(where, answer, roleRemedy, `${verb} `)
  // A copy, with what stands in no place of it: the host may go on writing to its own.
  return Array.from(answer, (role: unknown) => {
    if (typeof role === 'string') return role
    throw wrongAnswer(where, role, roleRemedy, `${verb} a list that holds `)
  })
}

/** What is neither yes nor no has to be a rule. */
export function ruleOfHostAnswer(where: string, answer: unknown): boolean | Rule {
  const isObject = typeof answer === 'object' && answer !== null && !isPromise(answer)
  const isRule = isObject && ('where' in answer || 'fields' in answer)
  return isRule ? (answer as Rule) : isYesOfHostAnswer(where, answer)
}

/**
 * What is merely truthy says nothing. A promise is not waited for: the function is asked of every type and action before
 * a request is looked at, and would hold each up for as long as its slowest answer takes.
 */
export function isYesOfHostAnswer(where: string, answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer
  const atOnce = isPromise(answer) ? ' at once: read beforehand what has to be waited for' : ''
  throw wrongAnswer(where, answer, `answer true or false${atOnce}`)
}
