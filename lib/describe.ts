// Comes in: the types and what a role is granted. Goes out: what that role may ask of which types, for whoever writes it down.
// Refused: nothing; what the role may not read is described like what is not there.
export type { AnswerOptions } from './describe/answer-options'
export { isEmptyLocaleShown } from './describe/empty-locale'
export { operatorsFor } from './describe/operators-for'
export { type QueriesOfType, queriesOf } from './describe/queries-of'
export {
  type ShownLink,
  type ShownScalar,
  type ShownType,
  shownTypes,
  type Told,
} from './describe/shown-types'
export { isPaged, isWrappedLink } from './describe/wrapped-links'
