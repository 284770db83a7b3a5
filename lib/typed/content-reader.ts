import type { EntryAnswer, ListAnswer } from './content-entry'
import type { ContentQuery, EntryQuery } from './content-query'
import type { ContentRegistry, QueriesOf, ThisTakes } from './content-registry'
import type { ValidQuery } from './valid-query'

/** What may be listed, or read one by one. */
export type Collections<C extends ContentRegistry<C>, Reads> = {
  [T in keyof C]: C[T] extends { readonly kind: 'collection'; readonly reads: infer R }
    ? Reads extends R
      ? T
      : never
    : never
}[keyof C]

type Singles<C extends ContentRegistry<C>> = {
  [T in keyof C]: C[T] extends { readonly kind: 'single' } ? T : never
}[keyof C]

/** What is bound to queries of the host's is asked by one of them; the error stands at the type, as where it would is nothing. */
export type AskedAtAll<C extends ContentRegistry<C>, T extends keyof C, Q> = object extends Q
  ? C[T]['asked'] extends 'by name'
    ? ThisTakes<{ query: keyof QueriesOf<C, T> }>
    : unknown
  : unknown

/** Reads content: each answer has the type of what was asked. `Init` is what a call may say besides. */
export interface ContentReader<C extends ContentRegistry<C>, Init> {
  /** A page of a collection. */
  find<T extends Collections<C, 'find'>, const Q extends object = object>(
    type: T & AskedAtAll<C, T, Q>,
    query?: Q & ValidQuery<C, T, Q, ContentQuery<C, T>>,
    init?: Init,
  ): Promise<ListAnswer<C, T, Q>>
  /** One entry of a collection. */
  findOne<T extends Collections<C, 'findOne'>, const Q extends object = object>(
    type: T & AskedAtAll<C, T, Q>,
    documentId: string,
    query?: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryAnswer<C, T, Q>>
  /** One entry of a collection, by an attribute that no two share. */
  by<T extends Collections<C, 'findOne'>, const Q extends object = object>(
    type: T & AskedAtAll<C, T, Q>,
    attribute: C[T]['unique'],
    value: string | number,
    query?: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryAnswer<C, T, Q>>
  /** The entry of a single type. */
  single<T extends Singles<C>, const Q extends object = object>(
    type: T & AskedAtAll<C, T, Q>,
    query?: Q & ValidQuery<C, T, Q, EntryQuery<C, T>>,
    init?: Init,
  ): Promise<EntryAnswer<C, T, Q>>
}
