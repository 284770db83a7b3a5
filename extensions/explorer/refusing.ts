import type { NextFunction, Response } from 'express'
import { RequestError } from '../../lib/errors'
import { sendError } from '../../lib/http'

/** What is refused is answered here; what goes wrong in the host's function is the host's to answer. */
export const refusing =
  (res: Response, next: NextFunction) =>
  (error: unknown): void => {
    if (error instanceof RequestError) sendError(res, error)
    else next(error)
  }
