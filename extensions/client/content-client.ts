import type { PlainEntry, PlainReader } from '../../lib/reader'
import type { ContentEntry } from './content-entry'
import type { AggregateResponse, GroupedTypes, ValidAggregate } from './content-aggregate'
import type { NamedIfRequired, ContentReader } from './content-reader'
import type { Collections, ContentRegistry } from './content-registry'
import type { ValidQuery } from './valid-query'
import { type CallOptions, type ClientOptions, makeSender } from './send-request'
import { noSuchEntry } from './content-error'
import { eachEntry } from './each-entry'
import { partText, queryText } from './query-text'
import { saidQuery } from './said-query'
import type { ContentQuery, PageQuery } from './content-query'

/** Selects the first page, for a list that the client reads to its end. */
export type EachPage = Omit<PageQuery, 'start' | 'limit' | 'before'>

/** The query of a list that the client reads to its end. */
export interface EachQuery<C extends ContentRegistry<C>, T extends keyof C> extends Omit<
  ContentQuery<C, T>,
  'pagination' | 'facets' | 'highlight' | 'ranks'
> {
  readonly pagination?: EachPage
}

/** Reads content over HTTP. */
export interface ContentClient<C extends ContentRegistry<C>> extends ContentReader<C, CallOptions> {
  /** Reads all entries of a collection. The client requests page after page during the iteration. */
  each<T extends Collections<C, 'find'>>(
    type: T & NamedIfRequired<C, T>,
  ): AsyncIterable<ContentEntry<C, T, undefined>>
  each<T extends Collections<C, 'find'>, const Q extends object | undefined>(
    type: T,
    query: Q & ValidQuery<C, T, Q, EachQuery<C, T>>,
    init?: CallOptions,
  ): AsyncIterable<ContentEntry<C, T, Q>>
  /** Reads groups of a collection, with the extension `aggregates()`. */
  aggregate<T extends GroupedTypes<C>, const Q extends object>(
    type: T,
    query: Q & ValidAggregate<C, T, Q>,
    init?: CallOptions,
  ): Promise<AggregateResponse<C, T, Q>>
}

/** HTTP clients remove such segments, which would change the path. */
const isNoPath = (part: string): boolean => ['', '.', '..'].includes(part)

const partOf = (value: unknown): string => {
  const part = String(value)
  if (isNoPath(part)) throw noSuchEntry()
  return partText(part)
}

interface Filtered {
  readonly filters?: object
}

const also = ({ filters = {}, ...query }: Filtered, condition: object): object => ({
  ...query,
  filters: Object.keys(filters).length === 0 ? condition : { $and: [filters, condition] },
  pagination: { limit: 1 },
})

/** The registry exists for the compiler alone. */
function untyped(options: ClientOptions) {
  const ask = makeSender(options)
  const isStrapi = options.preset === 'strapi5'
  const read = (path: string, query: object = {}, init?: CallOptions): Promise<unknown> => {
    const text = queryText(saidQuery(query))
    return ask(`/${path}${text === '' ? '' : `?${text}`}`, init)
  }
  const find = async (type: string, query?: object, init?: CallOptions): Promise<unknown> =>
    read(partOf(type), query, init)
  const below = async (type: string, part: unknown, query?: object, init?: CallOptions): Promise<unknown> =>
    read(`${partOf(type)}/${partOf(part)}`, query, init)
  const firstOf = async (type: string, query: object, init?: CallOptions): Promise<unknown> => {
    const { data } = (await find(type, query, init)) as { readonly data: readonly unknown[] }
    if (data.length === 0) throw noSuchEntry()
    return { data: data[0], meta: {} }
  }
  return {
    find,
    findOne: below,
    read: below,
    aggregate: async (type: string, query: object, init?: CallOptions) =>
      below(type, 'aggregate', query, init),
    by: async (...[type, attribute, value, query = {}, init]: Parameters<AskBy>) =>
      isStrapi || isNoPath(String(value))
        ? firstOf(type, also(query, { [attribute]: { $eq: value } }), init)
        : read(`${partOf(type)}/by/${partOf(attribute)}/${partOf(value)}`, query, init),
    single: find,
    each: (type: string, query: object = {}, init?: CallOptions) =>
      eachEntry((page, how) => find(type, page, how), query, { hasCursors: !isStrapi, init }),
  }
}

type AskBy = (
  type: string,
  attribute: string,
  value: string | number,
  query?: object,
  init?: CallOptions,
) => void

/** Without a registry, nothing is known about the types. */
interface PlainClient extends PlainReader<CallOptions> {
  each(type: string, query?: object, init?: CallOptions): AsyncIterable<PlainEntry>
  aggregate(type: string, query: object, init?: CallOptions): ReturnType<PlainReader['find']>
}

type ClientOf<C extends ContentRegistry<C>> = [C] extends [never] ? PlainClient : ContentClient<C>

/** Creates a client that reads content over HTTP from a content router or a Strapi 5. */
export function contentClient<C extends ContentRegistry<C> = never>(options: ClientOptions): ClientOf<C> {
  return untyped(options) as unknown as ClientOf<C>
}
