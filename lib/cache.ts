// Comes in: what a request asks, the state of the database, and how to read it. Goes out: its body as bytes, from memory
// where nothing has been committed since it was read, or word that the client has it. Refused: nothing; where the database
// cannot tell its state, the body is read.
import type { Answer, ReadBytes } from './cache/answers'

export {
  type Answer,
  type Answers,
  type CacheSettings,
  type Conditions,
  makeAnswers,
  type ReadBody,
  type ReadBytes,
  type ReadRows,
  type RowsRead,
} from './cache/answers'
export type { Encoding } from './cache/encoding'

/** A body that is not cached, nor shared with other requests. */
export const uncached = (body: ReadBytes | null): Answer | null =>
  body === null ? null : { kind: 'body', ...body, encoding: null, etag: null }
