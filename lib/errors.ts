/** A fault of a configuration or definition, with its position, the problem and the remedy. */
export interface Fault {
  /** Names the option, such as `permissions.editor.find`, or the file. */
  readonly where: string
  /** Contains a JSON pointer into the file. */
  readonly pointer?: string
  readonly problem: string
  readonly remedy?: string
}

export const faultAt = (where: string, problem: string, remedy?: string): Fault[] => [
  { where, problem, ...(remedy === undefined ? {} : { remedy }) },
]

export function describeFault({ where, pointer, problem, remedy }: Fault): string {
  const place = pointer === undefined ? where : `${where}#${pointer}`
  return remedy === undefined ? `${place}: ${problem}` : `${place}: ${problem} (${remedy})`
}

function messageOf(faults: readonly Fault[], noun: string, place: string): string {
  const count = faults.length === 1 ? `1 ${noun}` : `${String(faults.length)} ${noun}s`
  return [`${count} ${place}`, ...faults.map(describeFault)].join('\n  ')
}

/** Contains all faults of the configuration and the definitions. The router throws this error at start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(readonly faults: readonly Fault[]) {
    super(messageOf(faults, 'fault', 'in the configuration of the content router'))
  }
}

/** Contains all differences between the definitions and the tables. */
export class TablesError extends Error {
  override readonly name = 'TablesError'

  constructor(readonly faults: readonly Fault[]) {
    super(messageOf(faults, 'difference', 'between the definitions and the tables'))
  }
}

/** The database is not reachable. The message contains no address and no user. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'

  constructor(
    /** The code of the driver or of the server. */
    readonly code: string,
    reason: string,
  ) {
    super(`${code}: the database cannot be reached: ${reason}`)
  }
}

const names = {
  400: 'ValidationError',
  401: 'UnauthorizedError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  500: 'InternalServerError',
  503: 'ServiceUnavailableError',
} as const

/** An error response. Message and details are written for the client. */
export class RequestError extends Error {
  constructor(
    readonly status: keyof typeof names,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    override readonly name: string = names[status],
  ) {
    super(message)
  }
}

/** A link to the place above costs less than a copy of the path at each level. */
class PathPlace {
  constructor(
    readonly above: QueryPath,
    readonly name: string,
  ) {}

  [Symbol.iterator](): Iterator<string> {
    const names = [this.name]
    let { above } = this
    for (; above instanceof PathPlace; above = above.above) names.push(above.name)
    return [...above, ...names.reverse()].values()
  }
}

/** A place in a query: `['populate', 'author', 'fields']`. */
export type QueryPath = readonly string[] | PathPlace

export const inside = (above: QueryPath, name: string): QueryPath => new PathPlace(above, name)

export const lastOf = (path: QueryPath): string => [...path].at(-1) ?? ''

function placeOf(path: QueryPath): Readonly<Record<string, unknown>> {
  const names = [...path]
  return { path: names.join('.'), source: 'query', param: names[0] }
}

export function malformed(path: QueryPath, message: string): RequestError {
  return new RequestError(400, message, placeOf(path))
}

export class LimitError extends RequestError {
  constructor(
    readonly limit: string,
    readonly path: QueryPath,
    readonly excess: string,
    option = `query.${limit}`,
  ) {
    super(400, `${excess}; the option ${option} sets this limit`, placeOf(path))
  }

  /** The same with another option in the message. */
  by(option: string): LimitError {
    return new LimitError(this.limit, this.path, this.excess, option)
  }
}

export function mispaged(path: QueryPath, message: string): RequestError {
  return new RequestError(400, message, placeOf(path), 'PaginationError')
}

/** Private attributes, and relations to types that the role may not read, get the same message as unknown names. */
export function unknownKey(path: QueryPath, key: string, hint?: string): RequestError {
  const message = hint === undefined ? `Invalid key ${key}` : `Invalid key ${key}: ${hint}`
  return new RequestError(400, message, { key, ...placeOf(path) })
}

export const unauthorized = (): RequestError => new RequestError(401, 'Missing or invalid credentials')
export const forbidden = (): RequestError => new RequestError(403, 'Forbidden')
export const notFound = (): RequestError => new RequestError(404, 'Not Found')
export const undecodable = (): RequestError =>
  new RequestError(400, 'failed to decode', {}, 'BadRequestError')
export const methodNotAllowed = (): RequestError => new RequestError(405, 'Method Not Allowed')
export const failed = (id: string): RequestError => new RequestError(500, 'Internal Server Error', { id })

/**
 * The reason of a 503. `timeout`: the response took longer than `timeout`. `queue`: too many requests wait, clients
 * listen or exports run. `unreachable`: no connection to the database. `closing`: the router is being closed.
 * `database`: a limit of the database or an operator ended the statement.
 */
export type UnavailableReason = 'timeout' | 'queue' | 'unreachable' | 'closing' | 'database'

export class UnavailableError extends RequestError {
  constructor(
    readonly reason: UnavailableReason,
    message: string,
  ) {
    super(503, message)
  }
}

const tookTooLong = 'The response took too long'
export const timedOut = (): RequestError => new UnavailableError('timeout', tookTooLong)
export const endedByDatabase = (): RequestError => new UnavailableError('database', tookTooLong)
/** The client has closed the connection. */
export const abandoned = (): RequestError => new RequestError(503, tookTooLong)
/** Shared, because the stack of an error is its largest cost, and overload makes many. */
export const overloaded = new UnavailableError('queue', 'Too many requests are waiting')
export const closing = (): RequestError => new UnavailableError('closing', 'The server is shutting down')
export const unavailable = (): RequestError =>
  new UnavailableError('unreachable', 'The database cannot be reached')
