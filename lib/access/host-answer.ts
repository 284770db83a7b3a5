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
function wrongAnswer(where: string, answer: unknown, remedy: string, holder = ''): ConfigError {
  // It is not awaited, and an unhandled rejection would end the process.
  if (isPromise(answer)) answer.then(undefined, () => undefined)
  return new ConfigError([{ where, problem: `answered ${holder}${kindOf(answer)}`, remedy }])
}

const roleRemedy = `answer a role, a list of roles, or null for nobody; for strangers (req) => req.user?.role ?? 'public'`

/** Whose rights a request has. Null: it has none. */
export function rolesOfHostAnswer(answer: unknown): readonly string[] | null {
  if (answer === null) return null
  if (typeof answer === 'string') return [answer]
  if (!Array.isArray(answer)) throw wrongAnswer('role', answer, roleRemedy)
  // A copy, with what stands in no place of it: the host may go on writing to its own.
  return Array.from(answer, (role: unknown) => {
    if (typeof role === 'string') return role
    throw wrongAnswer('role', role, roleRemedy, 'a list that holds ')
  })
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

/** What a file is shown with: a signed address, or the one that it has anyway. */
export function urlOfHostAnswer(answer: unknown): string {
  if (typeof answer === 'string') return answer
  throw wrongAnswer('fileUrl', answer, 'answer a text, or a promise of one')
}
