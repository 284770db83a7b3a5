// Input: a request, the state of the database, and a function that reads. Output: a body as bytes, cached if nothing
// was committed since it was read, or a 304. Rejected: nothing. In an unknown state the body is read.
export type * from './cache/responses'
export { makeResponses } from './cache/responses'
export type { ReadBytes } from './cache/cached-bodies'
