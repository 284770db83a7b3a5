// Comes in: a registry of types, as `content-router types` writes it. Goes out: types alone, of queries and of the answers to
// them. Refused, by the compiler: names and values that a query cannot have.
export type { ContentEntry, EntryAnswer, ListAnswer, PageMeta } from './typed/content-entry'
export type { ContentFilters } from './typed/content-query'
export type { ContentPopulate, ContentQuery, EntryQuery, PageAsked } from './typed/content-query'
export type { AskedAtAll, Collections, ContentReader } from './typed/content-reader'
export type { ContentRegistry } from './typed/content-registry'
export type { ValidQuery } from './typed/valid-query'
export type { PlainEntry, PlainReader } from './typed/content-reader'
