// Input: a request, the state of the database, and a function that reads. Output: a body as bytes, cached if nothing was
// committed since it was read, or a 304. Rejected: nothing. In an unknown state the body is read.
import type { Answer, ReadBytes } from './cache/answers'

export {
  type Answer,
  type Answers,
  type Conditions,
  makeAnswers,
  type ReadBody,
  type ReadBytes,
  type RowsRead,
} from './cache/answers'

/** A body that is neither cached nor shared with other requests. */
export const uncached = (body: ReadBytes | null): Answer | null =>
  body === null ? null : { kind: 'body', ...body, encoding: null, etag: null }
