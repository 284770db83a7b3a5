import type * as Api from '@opentelemetry/api'
import type { RequestStart } from '../../lib/http'
import type { EventAsker, RequestEvent, StatementEvent, Tracing } from './request-events'

export interface OpenTelemetryOptions {
  /** Sets the `TracerProvider`, by default the global provider. */
  readonly tracerProvider?: { getTracer(name: string): object }
}

/** An optional peer dependency, loaded only by callers of `openTelemetry()`. */
const loadApi = (): typeof Api => require('@opentelemetry/api') as typeof Api

const systems = { sqlite: 'sqlite', mysql: 'mysql', postgres: 'postgresql' } as const

/** Events arrive afterwards with their duration. One clock for all of a request keeps its spans in order. */
function startClock(): () => number {
  const begun = Date.now()
  const mark = performance.now()
  return () => begun + performance.now() - mark
}

const rolesOf = (asker: EventAsker): Api.Attributes =>
  asker.kind === 'roles' ? { 'content_router.roles': [...asker.roles] } : {}

function requestAttributes(event: RequestEvent): Api.Attributes {
  const stages = Object.entries(event.stages).map(([stage, ms]: [string, number]) => {
    return [`content_router.${stage}.duration`, ms] as const
  })
  return {
    ...rolesOf(event.asker),
    ...(event.status === null ? {} : { 'http.response.status_code': event.status }),
    ...(event.shape === null ? {} : { 'content_router.shape': event.shape.text }),
    'content_router.outcome': event.outcome,
    'content_router.statements': event.statements,
    'content_router.rows': event.rows,
    ...Object.fromEntries(stages),
  }
}

const summaryOf = (event: StatementEvent): string => ('table' in event ? `SELECT ${event.table}` : 'SELECT')

function statementAttributes(event: StatementEvent): Api.Attributes {
  return {
    'db.system.name': systems[event.database],
    'db.operation.name': 'SELECT',
    ...('table' in event ? { 'db.collection.name': event.table } : {}),
    'db.query.summary': summaryOf(event),
    'db.query.text': event.sql,
    'content_router.reads': event.reads,
    'content_router.type': event.of,
    'content_router.paths': [...event.paths],
  }
}

function resultAttributes(event: StatementEvent): Api.Attributes {
  if (event.outcome === 'read') return { 'db.response.returned_rows': event.rows }
  if (event.code === 'unknown') return { 'error.type': '_OTHER' }
  return { 'error.type': event.code, 'db.response.status_code': event.code }
}

interface OwnTracer {
  readonly api: typeof Api
  readonly tracer: Api.Tracer
}

function traceStatement(
  { api: { SpanKind, SpanStatusCode }, tracer }: OwnTracer,
  event: StatementEvent,
  within: Api.Context,
  endTime: number,
): void {
  const attributes = { ...statementAttributes(event), ...resultAttributes(event) }
  const startTime = endTime - event.ms
  const span = tracer.startSpan(summaryOf(event), { kind: SpanKind.CLIENT, startTime, attributes }, within)
  if (event.outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(endTime)
}

function startRequest(
  own: OwnTracer,
  { type, action }: RequestStart,
  proceed: () => void,
): ReturnType<Tracing['begin']> {
  const { context, SpanKind, SpanStatusCode, trace } = own.api
  const now = startClock()
  const attributes = { 'content_router.type': type, 'content_router.action': action }
  const span = own.tracer.startSpan(`${action} ${type}`, {
    kind: SpanKind.INTERNAL,
    startTime: now(),
    attributes,
  })
  const within = trace.setSpan(context.active(), span)
  context.with(within, proceed)
  return {
    onStatement: (event) => {
      traceStatement(own, event, within, now())
    },
    onRequest: (event) => {
      span.setAttributes(requestAttributes(event))
      if (event.outcome === 'failed') {
        span.setAttribute('error.type', String(event.status)).setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end(now())
    },
  }
}

/** Creates the value for the option `tracing` of `observe()`: spans for OpenTelemetry. */
export function openTelemetry({ tracerProvider }: OpenTelemetryOptions = {}): Tracing {
  const api = loadApi()
  // Read at every request: an SDK may be registered after the router was made.
  const tracer = (): Api.Tracer =>
    ((tracerProvider ?? api.trace) as Api.TracerProvider).getTracer('express-content-router')
  return { begin: (start, proceed) => startRequest({ api, tracer: tracer() }, start, proceed) }
}
