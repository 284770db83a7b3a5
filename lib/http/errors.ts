import { randomUUID } from 'node:crypto'
import type { ErrorRequestHandler } from 'express'
import type { FilledOptions, Logger } from '../config'
import {
  asFailure,
  type DatabaseFailure,
  isDenied,
  isDrift,
  isEnded,
  isUnreachable,
  missingName,
} from '../database'
import {
  ConfigError,
  endedByDatabase,
  failed,
  RequestError,
  unavailable,
  UnavailableError,
  type UnavailableReason,
  undecodable,
} from '../errors'
import { sendError } from './send'

/** A function of the host threw, or returned an invalid value. */
export class HostError extends Error {
  override readonly name = 'HostError'

  constructor(override readonly cause: unknown) {
    super('a function of the options failed')
  }
}

/** A failure of the router's own work, as opposed to one of the host's functions. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  override readonly cause: DatabaseFailure

  /** `differences`: between the definitions and the tables. */
  constructor(
    cause: unknown,
    readonly differences: readonly string[] = [],
  ) {
    super('the content could not be loaded')
    this.cause = asFailure(cause)
  }
}

export function raiseLoadError(cause: unknown): never {
  throw new LoadError(cause)
}

/** Unknown errors of the work on a response are failures of the router. */
export function raiseResponseError(error: unknown): never {
  const isKnown = [RequestError, LoadError, HostError].some((kind) => error instanceof kind)
  throw isKnown ? error : new LoadError(error)
}

/** Unknown errors of functions of the host and of extensions, which run before a request is planned. */
export function raiseHostError(error: unknown): never {
  throw error instanceof RequestError || error instanceof LoadError ? error : new HostError(error)
}

const minute = 60_000
const ofRequests = { begins: 'requests get a 503', ends: 'requests no longer get a 503 with this reason' }
const lines = {
  timeout: ofRequests,
  queue: ofRequests,
  unreachable: { begins: 'the database cannot be reached', ends: 'the database can be reached again' },
  closing: ofRequests,
  database: {
    ...ofRequests,
    begins: 'the database cancelled an SQL statement, because of a database limit or an administrator',
  },
}

/** Milliseconds of reads without a 503 that end an outage: some connections may work while others fail. */
const quietFor = (reason: UnavailableReason): number => (reason === 'unreachable' ? 5000 : minute)

/** `servedAt`: the first read after the last 503. */
type Outage = Record<'since' | 'times' | 'logged' | 'loggedAt' | 'servedAt', number>

export function makeOutageLog(logger: Logger) {
  const outages = new Map<UnavailableReason, Outage>()
  const endQuietOutages = (now: number): void => {
    for (const [reason, { since, times, servedAt }] of outages) {
      if (now - servedAt < quietFor(reason)) continue
      outages.delete(reason)
      logger.warn({ reason, times, seconds: Math.round((servedAt - since) / 1000) }, lines[reason].ends)
    }
  }
  return {
    /** Logs the first 503 of an outage, and then one line a minute. */
    failed: (reason: UnavailableReason, facts?: object): void => {
      const now = performance.now()
      endQuietOutages(now)
      const begun = { since: now, times: 0, logged: 0, loggedAt: -Infinity, servedAt: Infinity }
      const outage = outages.get(reason) ?? begun
      outages.set(reason, outage)
      outage.times += 1
      outage.servedAt = Infinity
      if (now - outage.loggedAt < minute) return
      logger.error({ times: outage.times - outage.logged, reason, ...facts }, lines[reason].begins)
      Object.assign(outage, { logged: outage.times, loggedAt: now })
    },
    served: () => {
      if (outages.size === 0) return
      const now = performance.now()
      for (const outage of outages.values()) outage.servedAt = Math.min(outage.servedAt, now)
      endQuietOutages(now)
    },
  }
}

export type OutageLog = ReturnType<typeof makeOutageLog>

/** Logs an error, unless one of its kind was logged a little while ago. Returns the facts that are in the log. */
export type LogFailure<Facts extends object = object> = (error: unknown) => Facts

/** A message that is not ours may hold what a client sent. The first line of the stack says where to look. */
export function withoutMessage(error: unknown): string {
  if (error instanceof ConfigError) return `${error.name}: ${error.message}`
  if (!(error instanceof Error)) return `the function threw a value that is not an error: ${typeof error}`
  const [at = 'nowhere'] = /^ +at .*$/m.exec(error.stack ?? '') ?? []
  return `${error.name} ${at.trim()}`
}

/** A function that fails once fails with every like request. Each kind is logged alone, so that none hides another. */
export function makeFailureLog<Facts extends object>(
  logger: Logger,
  message: string,
  factsOf: LogFailure<Facts>,
): LogFailure<Facts> {
  const kinds = new Map<string, { readonly loggedAt: number; readonly facts: Facts; times: number }>()
  return (error) => {
    const now = performance.now()
    const kind = withoutMessage(error)
    const known = kinds.get(kind)
    if (known !== undefined && now - known.loggedAt < minute) {
      known.times += 1
      return known.facts
    }
    const facts = factsOf(error)
    logger.error({ times: 1 + (known?.times ?? 0), ...facts }, message)
    kinds.set(kind, { loggedAt: now, facts, times: 0 })
    return facts
  }
}

interface ErrorSettings {
  readonly logger: Logger
  readonly outages: OutageLog
  readonly hostErrors: FilledOptions['hostErrors']
}

/** The driver's message may hold values of the statement, so the log gets its code and no more. */
const factsOf = (cause: DatabaseFailure): { readonly name: string; readonly code: string } => ({
  name: String(cause.name),
  code: String(cause.code ?? cause.errno),
})

function logFailure({ cause, differences }: LoadError, id: string, logger: Logger): void {
  const facts = { ...factsOf(cause), id }
  if (isDrift(cause)) {
    const missing = missingName(cause)
    const remedy = 'run content-router check to list all differences between the definitions and the tables'
    logger.error({ ...facts, missing, differences, remedy }, 'the tables do not match the definitions')
  } else if (isDenied(cause)) {
    const remedy = 'run content-router check to list unreadable tables, and grant SELECT on these tables'
    logger.error({ ...facts, remedy }, 'the database user is not allowed to read a requested table')
  } else logger.error(facts, 'a request failed')
}

function answerLoadError(error: LoadError, { logger, outages }: ErrorSettings): RequestError {
  const { cause } = error
  if (isUnreachable(cause)) {
    outages.failed('unreachable', factsOf(cause))
    return unavailable()
  }
  if (isEnded(cause)) {
    outages.failed('database', factsOf(cause))
    return endedByDatabase()
  }
  const id = randomUUID()
  logFailure(error, id, logger)
  return failed(id)
}

/** Errors with a status, such as those of http-errors, are for the error handler of the host. */
function hasStatus(error: unknown): boolean {
  const { status, statusCode } = Object(error) as { readonly status?: unknown; readonly statusCode?: unknown }
  return [status, statusCode].some((value) => Number.isInteger(value) && Number(value) >= 400)
}

function hostErrorResponses(settings: ErrorSettings): (error: HostError) => RequestError | null {
  const { logger, hostErrors } = settings
  const message = 'a function in the options failed or returned an invalid value, so the router denied access'
  const logOnce = makeFailureLog(logger, message, (error) => {
    return { hook: 'access', id: randomUUID(), problem: withoutMessage(error) }
  })
  return ({ cause }) => {
    const isOurs = hostErrors === 'json' && !hasStatus(cause)
    if (!isOurs && !(cause instanceof ConfigError)) return null
    // Errors that are not logged again have the id of the one in the log.
    const { id } = logOnce(cause)
    return isOurs ? failed(id) : null
  }
}

/** `answer`: null if the error handler of the host answers it. */
export type AnswerError = (raised: unknown) => Readonly<{ error: unknown; answer: RequestError | null }>

/** One for each router, so that all its ways to fail share the limits of the log. */
export function makeErrorResponses(settings: ErrorSettings): AnswerError {
  const answerHostError = hostErrorResponses(settings)
  return (raised) => {
    if (raised instanceof HostError) return { error: raised.cause, answer: answerHostError(raised) }
    if (raised instanceof UnavailableError) settings.outages.failed(raised.reason)
    if (raised instanceof RequestError) return { error: raised, answer: raised }
    return { error: raised, answer: raised instanceof LoadError ? answerLoadError(raised, settings) : null }
  }
}

export function handleErrors(answerError: AnswerError): ErrorRequestHandler {
  return (raised: unknown, _req, res, next) => {
    const { error, answer } = answerError(raised)
    if (res.headersSent) {
      // If the host has answered meanwhile, Express would end its response for an error of ours.
      if (answer === null) next(error)
    } else if (answer !== null) sendError(res, answer)
    else if (error instanceof URIError) sendError(res, undecodable())
    else next(error)
  }
}
