import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler } from 'express'
import type { FilledOptions, Logger } from '../config'
import { isDenied, isDrift, isEnded, isUnreachable, missingName } from '../database'
import { ConfigError, failed, RequestError, timedOut, unavailable, undecodable } from '../errors'
import { complainer, withoutMessage } from './complainer'
import { bringsStatus, canBeLookedAt, HostError } from './host-error'
import { sendError } from './send'

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

/** On the way to what a request may read, all that is not ours was raised by a function of the host. */
export function raiseTold(error: unknown): never {
  const isOurs = canBeLookedAt(error) && (error instanceof RequestError || error instanceof LoadError)
  throw isOurs ? error : new HostError(error)
}

/** The driver's message may hold values of the statement, so the log gets its code and no more. */
function answerTo({ cause, differences }: LoadError, logger: Logger): RequestError {
  const facts = { name: String(cause.name), code: String(cause.code ?? cause.errno) }
  if (isUnreachable(cause)) {
    logger.error(facts, 'the database cannot be reached')
    return unavailable()
  }
  if (isEnded(cause)) {
    logger.error(facts, 'a statement was ended in the database, by a limit that is set there or by somebody')
    return timedOut()
  }
  const id = randomUUID()
  if (isDrift(cause)) {
    const missing = missingName(cause)
    logger.error({ ...facts, id, missing, differences }, 'the tables are not what the definitions say')
  } else if (isDenied(cause)) {
    const remedy = 'ready() and content-router check name the tables'
    logger.error(
      { ...facts, id, remedy },
      'the user of the connection may not read a table that is asked for',
    )
  } else logger.error({ ...facts, id }, 'a request failed')
  return failed(id)
}

function ownAnswer(error: unknown, logger: Logger): RequestError | null {
  if (error instanceof RequestError) return error
  return error instanceof LoadError ? answerTo(error, logger) : null
}

/** What the host's functions raise, and whether it is ours to answer. */
function hostAnswers({ logger, hostErrors }: ErrorSettings): (error: HostError) => RequestError | null {
  const message = 'a function of the options failed or answered what it must not; nothing was granted'
  const factsOf = (error: unknown): { readonly id: string; readonly problem: string } => ({
    id: randomUUID(),
    problem: withoutMessage(error),
  })
  const complain = complainer('access', logger, { message, factsOf })
  return ({ cause }) => {
    const isOurs = hostErrors === 'json' && !bringsStatus(cause)
    if (!isOurs && !(cause instanceof ConfigError)) return null
    // What is not told again is found under the id of what was.
    const { id } = complain(cause)
    return isOurs ? failed(id) : null
  }
}

export type ErrorSettings = Pick<FilledOptions, 'hostErrors'> & { readonly logger: Logger }

interface AnsweredError {
  /** What was raised, as whoever raised it knows it. */
  readonly error: unknown
  /** Null where the host is to answer it. */
  readonly answer: RequestError | null
}

/** How what this router raised is answered, and what the host's functions did unless the host wants to. */
export function makeAnswerError(settings: ErrorSettings): (raised: unknown) => AnsweredError {
  const answerToHost = hostAnswers(settings)
  return (raised) =>
    raised instanceof HostError
      ? { error: raised.cause, answer: answerToHost(raised) }
      : { error: raised, answer: ownAnswer(raised, settings.logger) }
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
