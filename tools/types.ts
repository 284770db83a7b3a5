// Comes in: the types that a role may read. Goes out: the TypeScript that clients import, one interface. Refused: nothing.
export { contentTypes } from './types/content-types'
