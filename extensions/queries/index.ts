export type { AddedQueries, NamedQuery, TypeDefaults } from '../../lib/config'
export { defaultQueries, type DefaultQueries } from './default-queries'
export { namedQueries, type NamedQueries } from './named-queries'
export { queryFrom, type QueryFunction } from './query-from'
