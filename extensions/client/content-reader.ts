import type { InsideOptions } from '../../lib/reader'
import type { AggregateResponse, GroupedTypes, ValidAggregate } from './content-aggregate'
import type { EntryResponse, ListResponse } from './content-entry'
import type { ContentQuery, EntryQuery } from './content-query'
import type { Collections, ContentRegistry, QueriesOf, ThisTakes } from './content-registry'
import type { ValidQuery } from './valid-query'

type Singles<C extends ContentRegistry<C>> = {
  [T in keyof C]: C[T] extends { readonly kind: 'single' } ? T : never
}[keyof C]

/** Names of types that need no query. A role with named queries only must send a named query. */
export type NamedIfRequired<C extends ContentRegistry<C>, T extends keyof C> = C[T]['asked'] extends 'by name'
  ? ThisTakes<{ query: keyof QueriesOf<C, T> }>
  : unknown

// Each call has two overloads, because an optional query would lose its exact type.

/**
 * Reads content. The type of a response depends on its query. `Init` is the type of a call's options. Use
 * `contentRouter<ContentReader<Content>>(…)` for typed reads without HTTP.
 */
export interface ContentReader<C extends ContentRegistry<C>, Init = InsideOptions> {
  /** Reads a page of a collection. */
  find<T extends Collections<C, 'find'>>(
    type: T & NamedIfRequired<C, T>,
  ): Promise<ListResponse<C, T, undefined>>
  find<T extends Collections<C, 'find'>, const Q extends object | undefined>(
    type: T,
    query: Q & ValidQuery<C, T, Q, ContentQuery<C, T>>,
    init?: Init,
  ): Promise<ListResponse<C, T, Q>>
  /** Reads an entry of a collection by its `documentId`. */
  findOne<T extends Collections<C, 'findOne'>>(
    type: T & NamedIfRequired<C, T>,
    documentId: string,
  ): Promise<EntryResponse<C, T, undefined>>
  findOne<T extends Collections<C, 'findOne'>, const Q extends object | undefined>(
    type: T,
    documentId: string,
    query: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryResponse<C, T, Q>>
  /** Reads an entry of a collection by a unique attribute. */
  by<T extends Collections<C, 'findOne'>>(
    type: T & NamedIfRequired<C, T>,
    attribute: C[T]['unique'],
    value: string | number,
  ): Promise<EntryResponse<C, T, undefined>>
  by<T extends Collections<C, 'findOne'>, const Q extends object | undefined>(
    type: T,
    attribute: C[T]['unique'],
    value: string | number,
    query: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryResponse<C, T, Q>>
  /** Reads the entry of a single type. */
  single<T extends Singles<C>>(type: T & NamedIfRequired<C, T>): Promise<EntryResponse<C, T, undefined>>
  single<T extends Singles<C>, const Q extends object | undefined>(
    type: T,
    query: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryResponse<C, T, Q>>
  /** Reads groups of a collection, with the extension `aggregates()`. */
  read<T extends GroupedTypes<C>, const Q extends object>(
    type: T,
    name: 'aggregate',
    query: Q & ValidAggregate<C, T, Q>,
    init?: Init,
  ): Promise<AggregateResponse<C, T, Q>>
}
