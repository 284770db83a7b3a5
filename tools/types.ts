// Input: the types that a role may read.
// Output: the TypeScript interface that clients import.
// Rejected: nothing.
export { contentTypes } from './types/content-types'
