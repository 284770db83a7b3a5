// Comes in: the types and what a role is granted. Goes out: what that role may ask of which types, for whoever writes it down.
// Refused: nothing; what the role may not read is told like what is not there.
export { type ApiDocument, apiDocument, type ApiOptions } from './describe/api-document'
export {
  type ExampleEntry,
  type ExamplesByUid,
  noExamples,
  type TypeExamples,
} from './describe/type-examples'
export { shortEntry } from './describe/short-entry'
export type { AnswerOptions } from './describe/answer-options'
export { isEmptyLocaleShown } from './describe/empty-locale'
export { queriesOf } from './describe/queries-of'
export { operatorsFor } from './describe/filter-parameters'
export {
  type ShownLink,
  type ShownScalar,
  type ShownType,
  shownTypes,
  type Told,
} from './describe/shown-types'
export { isPaged, isWrappedLink } from './describe/wrapped-links'
