// Comes in: the types and what a role is granted. Goes out: what that role may ask of which types, for whoever writes it down.
// Refused: nothing; what the role may not read is described like what is not there.
export {
  type AnswerOptions,
  isEmptyLocaleShown,
  operatorsFor,
  type QueriesOfType,
  queriesOf,
  type ShownLink,
  type ShownScalar,
  type ShownType,
  shownTypes,
  type Told,
  isPaged,
  isWrappedLink,
} from './describe/shown-types'
