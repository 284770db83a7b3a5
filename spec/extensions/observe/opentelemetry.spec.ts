import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import express from 'express'
import request from 'supertest'
import { contentRouter } from '../../../lib'
import { openTelemetry } from '../../../extensions/observe/open-telemetry'
import { onSqlite } from '../../support/databases'
import { collection, library, text } from '../../support/library'
import { type Served, stocked } from '../../support/served'
import { hearing, observing } from './hearing'

const exporter = new InMemorySpanExporter()
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const millisecondsOf = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1000 + nanoseconds / 1e6

onSqlite((database) => {
  const { world, serve } = stocked(database, library, {
    author: [{ $ref: 'ada', name: 'Ada' }],
    book: [{ title: 'Dawn', author: 'ada' }],
  })
  const heard = hearing()
  const tracing = openTelemetry({ tracerProvider })
  let known: Served | undefined
  const served = (): Served => (known ??= serve(observing({ tracing, ...heard.hooks })))

  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  })
  afterAll(() => {
    context.disable()
    trace.disable()
  })
  beforeEach(() => {
    exporter.reset()
  })

  async function spansOf(path: string): Promise<{ request: ReadableSpan; statements: ReadableSpan[] }> {
    await heard.ask(served(), path)
    const spans = exporter.getFinishedSpans()
    const [own, ...others] = spans.filter(({ kind }) => kind === SpanKind.INTERNAL)
    if (own === undefined || others.length > 0) throw new Error('there is not one span of a request')
    return { request: own, statements: spans.filter(({ kind }) => kind === SpanKind.CLIENT) }
  }

  describe('spans', () => {
    it('are one of the request, and one of each statement below it', async () => {
      const { request: own, statements } = await spansOf('authors?populate=books&filters[name]=Ada')
      expect(own.name).toBe('find api::author.author')
      expect(own.attributes).toMatchObject({
        'content_router.type': 'api::author.author',
        'content_router.action': 'find',
        'content_router.outcome': 'answered',
        'content_router.roles': ['public'],
        'content_router.shape': 'api::author.author?filters=name&populate=books',
        'content_router.statements': heard.statements.length,
        'content_router.rows': 1 + 2 + 1,
        'http.response.status_code': 200,
      })
      expect(statements.map(({ name }) => name)).toEqual(['SELECT authors', 'SELECT', 'SELECT books'])
      for (const statement of statements) {
        expect(statement.parentSpanContext?.spanId).toBe(own.spanContext().spanId)
        expect(statement.spanContext().traceId).toBe(own.spanContext().traceId)
      }
    })

    it('of statements speak the conventions for databases, with placeholders', async () => {
      const { statements } = await spansOf('books?populate=genres&filters[title]=Dawn')
      const systems = { sqlite: 'sqlite', mysql: 'mysql', postgres: 'postgresql' }
      expect(statements[0]?.attributes).toEqual({
        'db.system.name': systems[database.dialect],
        'db.operation.name': 'SELECT',
        'db.collection.name': 'books',
        'db.query.summary': 'SELECT books',
        'db.query.text': heard.statements[0]?.sql,
        'db.response.returned_rows': 1,
        'content_router.reads': 'entries',
        'content_router.type': 'api::book.book',
        'content_router.paths': [],
      })
      expect(statements[1]?.attributes).toMatchObject({ 'content_router.paths': ['genres'] })
      expect(JSON.stringify(statements.map(({ attributes }) => attributes))).not.toMatch(/Dawn|Ada/)
    })

    it('lie within the span of the request', async () => {
      const { request: own, statements } = await spansOf('books?populate=genres')
      const [from, to] = [millisecondsOf(own.startTime), millisecondsOf(own.endTime)]
      for (const { startTime, endTime } of statements) {
        expect(millisecondsOf(startTime)).toBeGreaterThanOrEqual(from)
        expect(millisecondsOf(endTime)).toBeGreaterThanOrEqual(millisecondsOf(startTime))
        expect(millisecondsOf(endTime)).toBeLessThanOrEqual(to)
      }
    })

    it('of what fails have a status, and the code of the driver', async () => {
      const contentTypes = [...library, collection('ghost', { title: text })] as typeof library
      await heard.ask(
        serve({ contentTypes, ...observing({ tracing, ...heard.hooks }) }),
        'ghosts?filters[title]=canary',
      )
      const [statement, own] = exporter.getFinishedSpans()
      const code = { sqlite: 'SQLITE_ERROR', mysql: 'ER_NO_SUCH_TABLE', postgres: '42P01' }[database.dialect]
      expect(statement?.status).toEqual({ code: SpanStatusCode.ERROR })
      expect(statement?.attributes).toMatchObject({ 'error.type': code, 'db.response.status_code': code })
      expect(own?.status).toEqual({ code: SpanStatusCode.ERROR })
      expect(own?.attributes).toMatchObject({ 'error.type': '500', 'content_router.outcome': 'failed' })
      expect(JSON.stringify([statement?.attributes, own?.attributes])).not.toContain('canary')
    })

    it('of a refusal are no failure, and tell nothing of what was asked', async () => {
      const { request: own, statements } = await spansOf('books?filters[canary]=1')
      expect(statements).toEqual([])
      expect(own.status).toEqual({ code: SpanStatusCode.UNSET })
      expect(own.attributes).toMatchObject({
        'http.response.status_code': 400,
        'content_router.outcome': 'refused',
      })
      expect(JSON.stringify(own.attributes)).not.toContain('canary')
    })

    it('stand below the span that is active, and are active for the host and the driver', async () => {
      let active: Span | undefined
      const router = contentRouter({
        contentTypes: library,
        database: world.config,
        permissions: { public: { find: '*' } },
        role: async () => {
          await Promise.resolve()
          active = trace.getActiveSpan()
          return 'public'
        },
        ...observing({ tracing, ...heard.hooks }),
      })
      const server = tracerProvider.getTracer('spec').startSpan('server')
      const app = express()
        .use((_req, _res, next) => {
          context.with(trace.setSpan(context.active(), server), next)
        })
        .use('/api', world.closing(router))
      await heard.after(() => request(app).get('/api/books'))
      const [own] = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.INTERNAL)
      expect(own?.parentSpanContext?.spanId).toBe(server.spanContext().spanId)
      expect(active?.spanContext().spanId).toBe(own?.spanContext().spanId)
    })

    it('come from the provider that the application registers, also after the router was made', async () => {
      const global = serve(observing({ tracing: openTelemetry(), ...heard.hooks }))
      await heard.ask(global, 'books')
      expect(exporter.getFinishedSpans()).toEqual([])
      trace.setGlobalTracerProvider(tracerProvider)
      await heard.ask(global, 'books')
      expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
        'SELECT books',
        'find api::book.book',
      ])
    })
  })
})
