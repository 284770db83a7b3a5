import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler } from 'express'
import type { Logger } from '../config'
import { isDrift, isUnreachable, missingName } from '../database'
import { failed, RequestError, unavailable, undecodable } from '../errors'
import { sendError } from './respond'

interface ThrownFailure {
  readonly name?: unknown
  readonly code?: unknown
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

/** The driver's message may hold values of the statement, so the log gets its code and no more. */
function answerTo({ cause, differences }: LoadError, logger: Logger): RequestError {
  const facts = { name: String(cause.name), code: String(cause.code) }
  if (isUnreachable(cause)) {
    logger.error(facts, 'the database cannot be reached')
    return unavailable()
  }
  const id = randomUUID()
  if (isDrift(cause)) {
    const missing = missingName(cause)
    logger.error({ ...facts, id, missing, differences }, 'the tables are not what the definitions say')
  } else logger.error({ ...facts, id }, 'a request failed')
  return failed(id)
}

function own(error: unknown, logger: Logger): RequestError | null {
  if (error instanceof RequestError) return error
  return error instanceof LoadError ? answerTo(error, logger) : null
}

/** Answers what this router raised. Errors of the host's own functions are the host's to answer. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    const answer = own(error, logger)
    if (res.headersSent) {
      // Where somebody else has answered meanwhile, Express would end that answer for an error of ours.
      if (answer === null) next(error)
    } else if (answer !== null) sendError(res, answer)
    else if (error instanceof URIError) sendError(res, undecodable())
    else next(error)
  }
}
