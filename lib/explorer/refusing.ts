import type { NextFunction, Response } from 'express'
import { RequestError } from '../errors'
import { sendError } from '../http'

/** What is refused is answered here; what goes wrong in the host's function is the host's to answer. */
export const refusing =
  (res: Response, next: NextFunction) =>
  (error: unknown): void => {
    if (error instanceof RequestError) sendError(res, error)
    else next(error)
  }
