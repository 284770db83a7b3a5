// Comes in: a connection that is told what a database commits, and the states that its clock tells. Goes out: whether what was
// read from some tables in one state is the same in another. Refused: nothing; where that is not known, it is not.
export { type Basis, type BasisRows, onTables } from './feed/basis'
export { type ChangeFeed, makeChangeFeed } from './feed/change-feed'
export type { ChangedRow } from './feed/changed-row'
export type { AskRows } from './feed/ask-rows'
export type { LogPlace } from './feed/decode'
export type { ChangedRows, ChangedTables } from './feed/take-changes'
export { decidedBy } from './feed/decided-by'
export { isNamedOnce, tablesInAll } from './feed/tables-in'
export type { OnChanged } from './feed/watched-log'
