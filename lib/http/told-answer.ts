import { RequestError } from '../errors'
import type { Asking, FleetingAnswer } from './answer-request'
import type { Content } from './content'
import { LoadError } from './errors'
import { HostError } from './host-error'

/** Whether it is known whose error it is. */
const isTold = (error: unknown): boolean =>
  [RequestError, LoadError, HostError].some((kind) => error instanceof kind)

/** An answer, or an error that says whose it is. */
export const toldAnswer = (content: Content, asking: Asking): Promise<FleetingAnswer | null> =>
  content.answer(asking).catch((error: unknown) => {
    throw isTold(error) ? error : new LoadError(error)
  })
