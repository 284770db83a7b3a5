import { RequestError } from '../errors'
import type { Asking, FleetingAnswer } from './answer-request'
import type { Content } from './content'
import { LoadError } from './errors'
import { HostError } from './host-error'

/** Whether it is known whose error it is. */
const isTold = (error: unknown): boolean =>
  [RequestError, LoadError, HostError].some((kind) => error instanceof kind)

/** What an answer ends with: an error that says whose it is. */
function raiseAnswerError(error: unknown): never {
  throw isTold(error) ? error : new LoadError(error)
}

export const toldAnswer = (content: Content, asking: Asking): Promise<FleetingAnswer | null> =>
  content.answer(asking).catch(raiseAnswerError)

export const toldObjects = (content: Content, asking: Asking): Promise<unknown> =>
  content.objects(asking).catch(raiseAnswerError)
