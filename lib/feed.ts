// Comes in: a connection that is told what a database commits, and the states that its clock tells. Goes out: whether what was
// read from some tables in one state is the same in another. Refused: nothing; where that is not known, it is not.
export { type ChangeFeed, makeChangeFeed } from './feed/change-feed'
export type { ChangedRow } from './feed/changed-row'
export type { ChangedRows, ChangedTables } from './feed/take-changes'
export type { OnChanged } from './feed/watched-log'
