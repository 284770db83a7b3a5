// Input: a registry of types, written by `content-router types`. Output: types of queries and responses. Rejected by
// the compiler: wrong names and values of a query.
export type { ContentEntry, EntryAnswer, ListAnswer, PageMeta } from './typed/content-entry'
export type { ContentFilters } from './typed/content-query'
export type { ContentPopulate, ContentQuery, EntryQuery, PageAsked } from './typed/content-query'
export type { AskedAtAll, Collections, ContentReader } from './typed/content-reader'
export type { ContentRegistry } from './typed/content-registry'
export type { ValidQuery } from './typed/valid-query'
export type { PlainEntry, PlainReader } from './typed/content-reader'
