import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler } from 'express'
import type { Logger } from '../config'
import { isUnreachable } from '../database'
import { failed, RequestError, unavailable, undecodable } from '../errors'
import { sendError } from './respond'

interface Failure {
  readonly name?: unknown
  readonly code?: unknown
}

/** A failure of the router's own work, as opposed to one of the host's functions. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  override readonly cause: Failure

  constructor(cause: unknown) {
    super('the content could not be loaded')
    this.cause = typeof cause === 'object' && cause !== null ? cause : {}
  }
}

export function raiseLoadError(cause: unknown): never {
  throw new LoadError(cause)
}

/** The driver's message may hold values of the statement, so the log gets its code and no more. */
function answerTo({ cause }: LoadError, logger: Logger): RequestError {
  const facts = { name: String(cause.name), code: String(cause.code) }
  if (isUnreachable(cause)) {
    logger.error(facts, 'the database cannot be reached')
    return unavailable()
  }
  const id = randomUUID()
  logger.error({ ...facts, id }, 'a request failed')
  return failed(id)
}

/** Answers what this router raised. Errors of the host's own functions are the host's to answer. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) next(error)
    else if (error instanceof RequestError) sendError(res, error)
    else if (error instanceof LoadError) sendError(res, answerTo(error, logger))
    else if (error instanceof URIError) sendError(res, undecodable())
    else next(error)
  }
}
