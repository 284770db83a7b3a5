// Input: queries as objects.
// Output: responses of a server, typed by the query. It needs only `fetch`, and runs in browsers.
// Rejected: unknown names, by the compiler; queries that the server rejects, by a `ContentError`.
export type { CallOptions, ClientOptions } from './send-request'
export { type ContentClient, contentClient } from './content-client'
export { ContentError } from './content-error'
export type { EachPage, EachQuery } from './content-client'
export type { ContentEntry, EntryResponse, ListResponse, PageMeta } from './content-entry'
export type { ContentFilters, ContentPopulate, ContentQuery, EntryQuery, PageQuery } from './content-query'
export type { AggregateResponse, AggregateRow, ContentAggregate, ValidAggregate } from './content-aggregate'
export type { NamedIfRequired, ContentReader } from './content-reader'
export type { Collections, ContentRegistry } from './content-registry'
export type { ValidQuery } from './valid-query'
export type { PlainEntry, PlainReader } from '../../lib/reader'
