// Comes in: queries as objects. Goes out: what a server answers them, typed by the query. Refused, by the compiler: names that no
// type has; by a ContentError: what the server refuses. Needs nothing but `fetch`, and stands in browsers as it is.
export type { CallOptions, ClientOptions } from './ask'
export { type ContentClient, contentClient } from './content-client'
export { ContentError } from './content-error'
export type { EachPage, EachQuery } from './each-query'
export type { ContentEntry, EntryAnswer, ListAnswer, PageMeta } from './content-entry'
export type { ContentFilters, ContentPopulate, ContentQuery, EntryQuery, PageAsked } from './content-query'
export type { AskedAtAll, Collections, ContentReader } from './content-reader'
export type { ContentRegistry } from './content-registry'
export type { ValidQuery } from './valid-query'
export type { PlainEntry, PlainReader } from '../../lib/reader'
