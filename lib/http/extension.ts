import type { Request, RequestHandler, Response } from 'express'
import type { Grants, Identity, Permitted, RouteRight } from '../access'
import type { RowsRead } from '../cache'
import type { AddedQueries, CoreConfig, DefaultingExtension, Logger, ReadAction } from '../config'
import type { Database } from '../database'
import type { DescribedReading, ResponseOptions } from '../describe'
import type { Fault, RequestError, UnavailableReason } from '../errors'
import type { Follower } from '../freshness'
import type { BodyForm, WriteValue, Writing } from '../json'
import type { MatchText, Order, Page, ReadTarget, Removal } from '../plan'
import type { BaseQuery, QueryLimits, QuerySort, RawObject } from '../query'
import type { Deadline, LevelRows, LoadedBatch, LoadedRows, LoadEvent, ReadFrom, Run } from '../read'
import type { Column, Model, Schema, Uid } from '../schema'
import type { Compiled, StatementSettings } from '../sql'
import type { ResponseLimits } from './limits'

/** A feature beside the core. A router accepts each `name` once. Messages contain the name. */
export interface Extension extends DefaultingExtension {
  /** Returns faults of the extension's options, for the `ConfigError`. `core` is null if the core has faults. */
  readonly check?: (config: CoreConfig, core: CheckedCore | null) => readonly Fault[]
  readonly routes?: readonly (ExtensionRoute | ExtensionReadRoute)[]
  /** Returns types that the router must not serve, in spite of grants. Each router calls the function once. */
  readonly withholds?: (schema: Schema, logger: Logger) => readonly Uid[]
  readonly rewriteQuery?: QueryRewriting
  /** Returns a function that changes rows of a plan, or null. Responses with changed rows are never cached. */
  readonly afterRead?: (plan: Compiled) => ChangeRows | null
  readonly listReading?: ListReading
  readonly textMatching?: TextMatchingHook
  /**
   * Returns the statements that create missing indexes. `migrate` runs the statements on its own tables. If an index is
   * missing, `ready()` rejects.
   */
  readonly missingIndexes?: (schema: Schema, database: Database) => Promise<readonly MissingIndex[]>
  /** Starts the extension as soon as the router is created. */
  readonly start?: (core: Core) => RunningExtension
  readonly observe?: Observe
}

/** The valid options and content, for `check` of an extension. */
export interface CheckedCore {
  readonly schema: Schema
  /** Throws the error of the query for a role that may read everything. The limits of all roles are checked. */
  readonly tryQuery: (model: Model, raw: RawObject, base?: BaseQuery) => void
}

export interface CoreSettings extends ResponseOptions {
  readonly schema: Schema
  readonly logger: Logger
  /** Contains the types without a path. */
  readonly withheld: ReadonlySet<Uid>
  readonly extensions: readonly Extension[]
}

export interface Core {
  readonly settings: CoreSettings
  readonly database: Database
  /** Runs a statement outside of requests. */
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>
  /** Returns the rights of a request. The request must have reached a route. */
  readonly rightsOf: (req: Request) => CoreRights
  /** Reads a list with the rights of a request, in the queue and with the cache of lists. */
  readonly readList: (req: Request, model: Model, query: RawObject) => Promise<ListObjects>
  /** Reads the rights of a long response again. */
  readonly renewRights: (req: Request) => Promise<CoreRights>
}

export interface ListObjects {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly meta: Readonly<Record<string, unknown>>
}

export interface CoreRights {
  readonly grants: Grants
  readonly limits: ResponseLimits
  /** Returns true if the caller may use routes with this right. */
  readonly mayAsk: (right: RouteRight) => boolean
  /** Returns the grants of the caller for a `ListReading`. */
  readonly readingGrants: (model: Model, name: string) => readonly (true | object)[]
  /** Contains the id of the current user, or `null` if the router does not know the id. */
  readonly user: number | null
}

/** A route of an extension. Authentication and errors are the same as for content. */
export interface ExtensionRoute {
  /** Sets the path below the mount path: `/openapi.json`. */
  readonly path: string
  readonly handler: (core: Core) => RequestHandler
}

export interface RouteManner {
  /** With `whole`, the route returns all entries, unless the query has `start` and `limit`. */
  readonly lists: 'pages' | 'whole'
  readonly body: Exclude<BodyForm['kind'], 'entries'>
  /** Set for a path of an extension below the list. */
  readonly reading?: ListReading
}

/** A path, with the entries that the router reads for requests to this path. */
export interface ReadRoute {
  readonly path: string
  readonly action: ReadAction
  /** Returns null for a missing entry. */
  readonly asks: (req: Request, rights: CoreRights) => ReadTarget | null
  /** Returns false if the path must look unknown to the caller. */
  readonly leads?: (req: Request, rights: CoreRights) => boolean
  readonly manner: RouteManner
  readonly ignoresQuery?: true
  /** Sets the status for a missing entry. The default is 404. */
  readonly absent?: 204
  /** Set for a response about the current user. Caches never store such a response. */
  readonly isPersonal?: true
}

/** A route that reads entries of a type, with queue and cache. A router without this type leaves the route out. */
export interface ExtensionReadRoute extends ReadRoute {
  readonly right: RouteRight & { readonly type: string }
}

export interface QueryRewriting {
  /** Returns a query that replaces the query of the URL, or null. Each HTTP request calls the function. */
  readonly fromRequest?: (req: Request, limits: QueryLimits) => Promise<string | RawObject | null>
  /** Returns the rewriter of a router. The results must depend only on the query, because the router caches them. */
  readonly makeRewriter?: (schema: Schema) => RewriteQuery | null
  /** Contains queries that change responses. The queries are a part of every ETag. */
  readonly adds?: AddedQueries
}

/** Returns the rewritten query, or null to keep the query. */
export type RewriteQuery = (raw: RawObject, model: Model) => RewrittenQuery | null

/** A query that an extension has rewritten. */
export interface RewrittenQuery {
  /** Replaces the query of the client. */
  readonly raw?: RawObject
  /** Allows `raw` for roles that may only use queries of the host application. */
  readonly isOfHost?: true
  /** Sets default parameters. The query overrides all defaults except filters, which are combined. */
  readonly base?: BaseQuery
  /** Returns the error to send. An error in a part that the client did not write must not name that part. */
  readonly errorFor: (error: RequestError) => RequestError
}

/** Changes the rows of a response before the router sends them. Errors are those of a function of the host. */
export type ChangeRows = (loaded: LoadedRows) => Promise<void>

export interface RunningExtension {
  /** Keeps cached responses valid if unrelated content changes. A router has at most one follower. */
  readonly follower?: Follower | null
  /** Returns headers for shared caches. Shared caches may only store a body with these headers. */
  readonly sharedHeaders?: ((source: BodySource) => SharedHeaders) | null
  /** Returns faults of the database, for `ready()`. */
  readonly checkDatabase?: () => Promise<readonly Fault[]>
  /** Ends open responses and other work before the router closes. */
  readonly close?: () => Promise<void>
}

/** Gives `_q` another meaning in some types. */
export interface TextMatchingHook {
  /** Equal if the same query finds the same entries in the same order. It is part of every ETag. */
  readonly key: string
  readonly makeMatcher: (database: Database) => MatchText
  /** Names the attributes with ranks and highlights, for documents and the explorer. `model`: as the role sees it. */
  readonly rankedIn?: (model: Model) => readonly string[]
}

/** A missing index of a table. The statements run in their order. */
export interface MissingIndex {
  readonly model: Model
  readonly statements: readonly string[]
}

/** Reads something of the entries that a list query selects, at `/articles/<name>` or beside the list. */
export interface ListReading extends DescribedReading {
  /** Returns the problem of an object that grants the reading, or null. Without `checkGrant`, no object is valid. */
  readonly checkGrant?: (grant: object) => string | null
  /** Names the parameters that the reading adds to `/articles/<name>` and to `/articles`. Similar names get a 400. */
  readonly parameters?: Partial<Readonly<Record<'path' | 'list', readonly string[]>>>
  /**
   * Plans a request to `/articles/<name>`. The body of the response is the object that the plan reads, unless the plan
   * sends the response itself. Without `plan`, this path does not exist.
   */
  readonly plan?: (raw: RawObject, request: ReadingRequest) => PlannedReading | PlannedStream
  /** Plans a request to `/articles`. The plan reads members of `meta`. Null if the query requests no members. */
  readonly planBeside?: (raw: RawObject, request: ReadingRequest) => PlannedReading | null
}

/** A request for a list whose role may read the type. */
export interface ReadingRequest {
  readonly model: Model
  /** Grants of the roles for the reading: `true`, or settings. The list is empty if the role has no grant. */
  readonly grants: readonly (true | object)[]
}

export interface PlannedReading {
  /** The query that selects the entries, without the parameters of the reading. */
  readonly query: RawObject
  /** Paths of the needed attributes. A role that may not use a path gets the error of an unknown name. */
  readonly keys: readonly QuerySort[]
  /** The router calls the function once for all equal requests. */
  readonly compile: (permitted: PermittedList, settings: ReadingSettings) => ReadEntries
}

/** Sends the entries in batches, over HTTP only. The response is neither cached nor shared. */
export interface PlannedStream extends Omit<PlannedReading, 'compile'> {
  readonly send: (list: ListStream) => Promise<void>
}

export interface ListStream {
  readonly req: Request
  readonly res: Response
  readonly database: Database
  readonly permitted: Permitted
  readonly writing: Writing
  /** Call this before you set headers. */
  readonly begin: () => void
  /** Ends statements. Call `renew` after progress: `timeout` bounds the time between two calls. */
  readonly stop: Deadline
  /** Takes a place in the queue. All pages show one state. `use` runs again if a connection is lost before any byte. */
  readonly inSnapshot: <T>(use: (read: ReadBatch) => Promise<T>) => Promise<T>
}

/** Reads a page of any size, with at most `maxEntries` entries. */
export type ReadBatch = (page: Page) => Promise<ListBatch>

export interface ListBatch extends LoadedBatch, RowsRead {
  readonly compiled: Compiled
}

/** The permitted list, and the permitted paths in the order of `keys`. */
export interface PermittedList {
  readonly permitted: Permitted
  readonly keys: readonly Order<never>[]
}

export interface ReadingSettings extends StatementSettings {
  readonly database: Database
  /** Returns the writer of JSON for values of a column. */
  readonly writerOf: (model: Model, column: Column) => WriteValue
}

/**
 * Runs statements and returns the members of the body, or of `meta`. Several statements see one state of the database.
 * `page`: the ids of the entries of the list; empty at `/articles/<name>`.
 */
export interface ReadEntries {
  (run: Run, page: readonly unknown[]): Promise<object>
  /** True if `/articles/<name>` runs one statement, which needs no transaction to see one state. */
  readonly runsOneStatement?: boolean
}

export interface BodySource extends Omit<ReadFrom, 'basis'> {
  /** Null if the body shows no entries. */
  readonly rows: LevelRows | null
  /** Contains the document of the path, or null if the body may show several entries. */
  readonly documentId: string | null
  /** Returns true if responses may name the type to the role. */
  readonly mayName: (model: Model) => boolean
}

export type SharedHeaders = Readonly<Record<string, string>>

/** Observes requests for content, over HTTP and in the process. */
export interface Observe {
  /** Set to `true` if the observers have `addMeta`. */
  readonly addsMeta: boolean
  /** Returns a function that the router calls at the start of each request. Each router calls `follow` once. */
  readonly follow: (core: Core) => (start: RequestStart) => RequestObserver
}

export interface RequestStart {
  /** `api::article.article` */
  readonly type: string
  readonly action: ReadAction
}

/** Receives the events of one request. The router logs errors of an observer and sends the response. */
export interface RequestObserver {
  readonly on: (event: ObservedEvent) => void
  /** Calls `proceed` a single time, to run the rest of the request in a context of `AsyncLocalStorage`. */
  readonly within?: (proceed: () => void) => void
  /**
   * Returns null, or a function that adds members to `meta` after the rows are read. With such a function, the router
   * sends all statements. It neither shares nor caches the response. The router calls `addMeta` after authorization.
   */
  readonly addMeta?: (req: Request) => Promise<(() => object) | null>
}

/** Describes an event of a request. Events contain no rows, but identities and plans contain values of the request. */
export type ObservedEvent =
  | { readonly kind: 'caller'; readonly identity: Identity }
  /** Each request begins in the stage `authorize`. With `null`, the request is in no stage. */
  | { readonly kind: 'stage'; readonly stage: Stage | null }
  | ({ readonly kind: 'plan' } & ObservedPlan)
  | LoadEvent
  /** The response comes from the cache. */
  | { readonly kind: 'cacheHit' }
  /** The router is about to send the response, and you can add headers. Reads without HTTP do not have this event. */
  | { readonly kind: 'headers'; readonly req: Request; readonly res: Response }
  /** `status` is null if the client has disconnected. `reason` has a value only for status 503. */
  | { readonly kind: 'end'; readonly status: number | null; readonly reason: UnavailableReason | null }

/** In the stage `wait`, the request waits in the queue, or for a connection. */
export type Stage = 'authorize' | 'plan' | 'wait' | 'load' | 'write'

/** The SQL of a request. A request that is planned again has several plans. */
export interface ObservedPlan {
  readonly permitted: Permitted
  readonly compiled: Compiled
  /** Lists hidden parts with reasons. The list names attributes that the role may not read. */
  readonly removals: () => readonly Removal[]
}
