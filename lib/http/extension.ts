import type { Request, RequestHandler, Response } from 'express'
import type { Grants, Identity, Permitted, RouteRight } from '../access'
import type {
  AddedQueries,
  CoreConfig,
  DefaultingExtension,
  FilledOptions,
  Logger,
  ReadAction,
} from '../config'
import type { Database } from '../database'
import type { Fault, RequestError, UnavailableReason } from '../errors'
import type { Follower } from '../freshness'
import type { BodyForm } from '../json'
import type { ReadTarget, Removal } from '../plan'
import type { BaseQuery, QueryLimits, RawObject } from '../query'
import type { LevelRows, LoadedRows, LoadEvent, ReadFrom } from '../read'
import type { Model, Schema, Uid } from '../schema'
import type { Compiled } from '../sql'
import type { ResponseLimits } from './limits'

/** A feature that the router does not know. `name` is used once in a router, and in messages. */
export interface Extension extends DefaultingExtension {
  /** Faults of its own options, reported with all others in one `ConfigError`. `core` is null if that has faults itself. */
  readonly check?: (config: CoreConfig, core: CheckedCore | null) => readonly Fault[]
  readonly routes?: readonly (ExtensionRoute | ExtensionReadRoute)[]
  /** Types that are not served, whatever the permissions grant. Called once, when the router is made. */
  readonly withholds?: (schema: Schema, logger: Logger) => readonly Uid[]
  readonly rewriteQuery?: QueryRewriting
  /** Called once for a plan; null leaves its rows as they are. Responses with changed rows are never cached. */
  readonly afterRead?: (plan: Compiled) => ChangeRows | null
  /** Starts with the router, not with the first request. */
  readonly start?: (core: Core) => RunningExtension
  readonly observe?: Observe
}

/** Extensions check their own options against it. */
export interface CheckedCore {
  readonly schema: Schema
  /** Throws the error that a role gets for the query which may read everything, within the limits of any role. */
  readonly tryQuery: (model: Model, raw: RawObject, base?: BaseQuery) => void
}

/** The content and options of a router. */
export interface CoreSettings extends FilledOptions, Required<AddedQueries> {
  readonly schema: Schema
  readonly logger: Logger
  /** Types that are not served at paths of their own. */
  readonly withheld: ReadonlySet<Uid>
  readonly extensions: readonly Extension[]
}

/** The router, for its extensions. */
export interface Core {
  readonly settings: CoreSettings
  readonly database: Database
  /** Runs a statement that belongs to no request. */
  readonly ask: (sql: string) => Promise<readonly (readonly unknown[])[]>
  /** The rights of a request, once it has reached a route. */
  readonly rightsOf: (req: Request) => CoreRights
  /** Reads the rights again, for a response that lasts. */
  readonly renewRights: (req: Request) => Promise<CoreRights>
}

/** The grants and limits of a request. */
export interface CoreRights {
  readonly grants: Grants
  readonly limits: ResponseLimits
  /** True if the sender may use routes with this right. */
  readonly mayAsk: (right: RouteRight) => boolean
  /** The id of the user, if it is known. */
  readonly user: number | null
}

/** Requests of it are authenticated and refused like those of content. */
export interface ExtensionRoute {
  /** Below the mount: `/openapi.json`. */
  readonly path: string
  readonly handler: (core: Core) => RequestHandler
}

/** The form of the query and of the body. */
export interface RouteManner {
  /** `whole`: all entries, unless the query has `start` and `limit`. */
  readonly lists: 'pages' | 'whole'
  readonly body: BodyForm['kind']
}

/** A path, and the entries that are read there. */
export interface ReadRoute {
  readonly path: string
  readonly action: ReadAction
  readonly asks: (req: Request, rights: CoreRights) => ReadTarget
  /** False if the path is unknown to the caller. */
  readonly leads?: (req: Request, rights: CoreRights) => boolean
  readonly manner: RouteManner
  /** `any`: in Strapi's older format, too, if a request selects it. */
  readonly formats: 'any' | 'v5'
  /** False if it ignores the query. */
  readonly takesQuery: boolean
  /** The status for a missing entry. */
  readonly absent: 404 | 204
  /** True if the response is about the caller, so that no cache may store it. */
  readonly isPersonal: boolean
}

/** Reads entries of a type, with the queue, the cache and the observation of content. Left out if there is no such type. */
export interface ExtensionReadRoute extends ReadRoute {
  readonly right: RouteRight & { readonly type: string }
}

/** Rewrites queries before they are planned. */
export interface QueryRewriting {
  /** Called for each request over HTTP. Replaces the query of the URL; null keeps it. */
  readonly fromRequest?: (req: Request, limits: QueryLimits) => Promise<string | RawObject | null>
  /** Called once for a router. Results of the rewriter are kept for equal queries, so it depends on nothing else. */
  readonly makeRewriter?: (schema: Schema) => RewriteQuery | null
  /** Part of every ETag, as other queries give other responses. */
  readonly adds?: AddedQueries
}

/** Null keeps the query. */
export type RewriteQuery = (raw: RawObject, model: Model) => RewrittenQuery | null

/** A query as an extension rewrote it. */
export interface RewrittenQuery {
  /** Replaces the query of the client. */
  readonly raw?: RawObject
  /** The host wrote `raw`: roles that may only use queries of the host may use it. */
  readonly isOfHost?: true
  /** Applies unless the query has the same parameter. The filters of both apply. */
  readonly base?: BaseQuery
  /** Returns the error to send. An error in a part that the client did not write must not name that part. */
  readonly errorFor: (error: RequestError) => RequestError
}

/** Changes the rows of one response before they are written. Its errors are those of a function of the host. */
export type ChangeRows = (loaded: LoadedRows) => Promise<void>

/** An extension at work in one router. */
export interface RunningExtension {
  /** Keeps cached responses valid when other content changes. A router has one at most. */
  readonly follower?: Follower | null
  /** Headers of a body in shared caches, which may not store a body without them. They are cached with it. */
  readonly sharedHeaders?: ((source: BodySource) => SharedHeaders) | null
  /** Faults of the database, for `ready()`. */
  readonly checkDatabase?: () => Promise<readonly Fault[]>
  /** Ends what would outlast the router, such as open responses. */
  readonly close?: () => Promise<void>
}

/** The source of a body. */
export interface BodySource extends Omit<ReadFrom, 'basis'> {
  readonly rows: LevelRows
  /** The document in the path; null if the body may show other entries, too. */
  readonly documentId: string | null
  /** True if the role may know the type. */
  readonly mayName: (model: Model) => boolean
}

export type SharedHeaders = Readonly<Record<string, string>>

/** Observes requests for content, over HTTP and in the process. */
export interface Observe {
  /** True if its observers have `addMeta`. */
  readonly addsMeta: boolean
  /** Called once for each router. The function that it returns is called as each request begins. */
  readonly follow: (core: Core) => (start: RequestStart) => RequestObserver
}

export interface RequestStart {
  /** `api::article.article` */
  readonly type: string
  readonly action: ReadAction
}

/** Receives the events of one request. Errors that it throws are logged and change no response. */
export interface RequestObserver {
  readonly on: (event: ObservedEvent) => void
  /** Calls `proceed` once, with the rest of the request: within a context of `AsyncLocalStorage`, for example. */
  readonly within?: (proceed: () => void) => void
  /**
   * Returns null, or a function that makes members of `meta` once the rows are read. Then all statements are sent, that
   * of the total too, and the response is neither shared nor cached. Called after the role may read the type.
   */
  readonly addMeta?: (req: Request) => Promise<(() => object) | null>
}

/** No event holds a row. Identities and plans hold values of the request. */
export type ObservedEvent =
  | { readonly kind: 'caller'; readonly identity: Identity }
  /** Each request begins in `authorize`; null: in none. */
  | { readonly kind: 'stage'; readonly stage: Stage | null }
  | ({ readonly kind: 'plan' } & ObservedPlan)
  | LoadEvent
  /** Nothing is read. */
  | { readonly kind: 'cacheHit' }
  /** The response is about to be sent: headers may be added. Reads in the process have none. */
  | { readonly kind: 'headers'; readonly req: Request; readonly res: Response }
  /** `status` is null if the client has left, `reason` is null unless the status is 503. */
  | { readonly kind: 'end'; readonly status: number | null; readonly reason: UnavailableReason | null }

/** `wait`: for its turn and for a connection. */
export type Stage = 'authorize' | 'plan' | 'wait' | 'load' | 'write'

/** The SQL of a request. A request that is planned again has several. */
export interface ObservedPlan {
  readonly permitted: Permitted
  readonly compiled: Compiled
  /** The parts that it leaves out, with reasons. Names attributes that the role may not see. */
  readonly removals: () => readonly Removal[]
}
