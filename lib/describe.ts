// Input: the types and grants of a role. Output: the queries of the role, for documents and pages. Rejected: nothing;
// unreadable types are left out.
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
