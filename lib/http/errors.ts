import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler } from 'express'
import type { FilledOptions, Logger } from '../config'
import { isDenied, isDrift, isEnded, isUnreachable, missingName } from '../database'
import {
  ConfigError,
  endedByDatabase,
  failed,
  overloaded,
  RequestError,
  unavailable,
  UnavailableError,
  undecodable,
} from '../errors'
import { bringsStatus, HostError } from './host-error'
import { sendError } from './send'
import type { Settings } from './settings'

/** Between two complaints of one kind: a function that fails once fails with every request like it. */
const quietFor = 60_000

/** Complains, unless that was done a little while ago; answers what was told then or now. */
export type Complain<Facts extends object = object, Error = unknown> = (error: Error) => Facts

/** A message that is not ours may hold what a client sent. The first line of the stack says where to look. */
export function withoutMessage(error: unknown): string {
  if (error instanceof ConfigError) return `${error.name}: ${error.message}`
  if (!(error instanceof Error)) return `threw no error but a ${typeof error}`
  const [at = 'nowhere'] = /^ +at .*$/m.exec(error.stack ?? '') ?? []
  return `${error.name} ${at.trim()}`
}

interface ComplaintKind<Facts> {
  readonly saidAt: number
  readonly facts: Facts
  times: number
}

interface Words<Facts extends object, Error> {
  readonly message: string
  readonly factsOf: (error: Error) => Facts
  readonly kindOf: (error: Error) => string
}

/** Complains of what fails again and again: of each kind by itself, so that none hides another. */
export function complainer<Facts extends object, Error = unknown>(
  logger: Logger,
  { message, factsOf, kindOf }: Words<Facts, Error>,
): Complain<Facts, Error> {
  const kinds = new Map<string, ComplaintKind<Facts>>()
  return (error) => {
    const now = performance.now()
    const name = kindOf(error)
    const known = kinds.get(name)
    if (known !== undefined && now - known.saidAt < quietFor) {
      known.times += 1
      return known.facts
    }
    const facts = factsOf(error)
    logger.error({ times: 1 + (known?.times ?? 0), ...facts }, message)
    kinds.set(name, { saidAt: now, facts, times: 0 })
    return facts
  }
}

interface ThrownFailure {
  readonly name?: unknown
  readonly code?: unknown
  readonly errno?: unknown
}

/** A failure of the router's own work, as opposed to one of the host's functions. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  override readonly cause: ThrownFailure

  /** `differences`: between the definitions and the tables. */
  constructor(
    cause: unknown,
    readonly differences: readonly string[] = [],
  ) {
    super('the content could not be loaded')
    this.cause = typeof cause === 'object' && cause !== null ? cause : {}
  }
}

export function raiseLoadError(cause: unknown): never {
  throw new LoadError(cause)
}

/** What is neither a refusal nor raised by a function of the host is a failure of the router's own work. */
export function raiseAnswerError(error: unknown): never {
  const isKnown = [RequestError, LoadError, HostError].some((kind) => error instanceof kind)
  throw isKnown ? error : new LoadError(error)
}

/** On the way to what a request may read, all that is not ours was raised by a function of the host. */
export function raiseTold(error: unknown): never {
  throw error instanceof RequestError || error instanceof LoadError ? error : new HostError(error)
}

/** The driver's message may hold values of the statement, so the log gets its code and no more. */
const factsOf = (cause: ThrownFailure): { readonly name: string; readonly code: string } => ({
  name: String(cause.name),
  code: String(cause.code ?? cause.errno),
})

/** What every answer meets while a server is away is not told for each. */
const outages = (
  logger: Logger,
  message: string,
  told: (cause: ThrownFailure) => object,
): Complain<object, ThrownFailure> =>
  complainer(logger, {
    message,
    factsOf: (cause) => ({ ...factsOf(cause), ...told(cause) }),
    kindOf: (cause) => factsOf(cause).code,
  })

function tellFailure({ cause, differences }: LoadError, id: string, logger: Logger): void {
  const facts = { ...factsOf(cause), id }
  if (isDrift(cause)) {
    const missing = missingName(cause)
    logger.error({ ...facts, missing, differences }, 'the tables are not what the definitions say')
  } else if (isDenied(cause)) {
    const remedy = 'ready() and content-router check name the tables'
    logger.error({ ...facts, remedy }, 'the user of the connection may not read a table that is asked for')
  } else logger.error(facts, 'a request failed')
}

function loadAnswers({ logger, outage }: ErrorSettings): (error: LoadError) => RequestError {
  const tellAway = outages(logger, 'the database cannot be reached', () => {
    outage.logged()
    return { reason: 'unreachable' }
  })
  const tellEnded = outages(
    logger,
    'a statement was ended in the database, by a limit that is set there or by somebody',
    () => ({ reason: 'database' }),
  )
  return (error) => {
    const { cause } = error
    if (isUnreachable(cause)) {
      tellAway(cause)
      return unavailable()
    }
    if (isEnded(cause)) {
      tellEnded(cause)
      return endedByDatabase()
    }
    const id = randomUUID()
    tellFailure(error, id, logger)
    return failed(id)
  }
}

function hostAnswers({ logger, hostErrors }: ErrorSettings): (error: HostError) => RequestError | null {
  const message = 'a function of the options failed or answered what it must not; nothing was granted'
  const complain = complainer(logger, {
    message,
    factsOf: (error) => ({ hook: 'access', id: randomUUID(), problem: withoutMessage(error) }),
    kindOf: withoutMessage,
  })
  return ({ cause }) => {
    const isOurs = hostErrors === 'json' && !bringsStatus(cause)
    if (!isOurs && !(cause instanceof ConfigError)) return null
    // What is not told again is found under the id of what was.
    const { id } = complain(cause)
    return isOurs ? failed(id) : null
  }
}

type ErrorSettings = Pick<FilledOptions, 'hostErrors'> & Pick<Settings, 'logger' | 'outage'>

interface AnsweredError {
  readonly error: unknown
  /** Null where the host is to answer it. */
  readonly answer: RequestError | null
}

export function makeAnswerError(settings: ErrorSettings): (raised: unknown) => AnsweredError {
  const answerToHost = hostAnswers(settings)
  const answerToLoad = loadAnswers(settings)
  const tellUnavailable = complainer(settings.logger, {
    message: 'requests are answered with 503',
    factsOf: ({ reason }: UnavailableError) => ({ reason }),
    kindOf: ({ reason }) => reason,
  })
  const ownAnswer = (error: unknown): RequestError | null => {
    // The queue logs what it refuses.
    if (error instanceof UnavailableError && error !== overloaded) tellUnavailable(error)
    if (error instanceof RequestError) return error
    return error instanceof LoadError ? answerToLoad(error) : null
  }
  return (raised) =>
    raised instanceof HostError
      ? { error: raised.cause, answer: answerToHost(raised) }
      : { error: raised, answer: ownAnswer(raised) }
}

export function answerErrors(settings: ErrorSettings): ErrorRequestHandler {
  const answerError = makeAnswerError(settings)
  return (raised: unknown, _req, res, next) => {
    const { error, answer } = answerError(raised)
    if (res.headersSent) {
      // Where the host has answered meanwhile, Express would end its answer for an error of ours.
      if (answer === null) next(error)
    } else if (answer !== null) sendError(res, answer)
    else if (error instanceof URIError) sendError(res, undecodable())
    else next(error)
  }
}
