import type * as Prometheus from 'prom-client'
import type { CacheStats } from '../../lib/config'
import { poolOf, poolSize } from '../../lib/database'
import { ConfigError, type Fault } from '../../lib/errors'
import { type ContentRouter, type ExploredRouter, exploredRouter } from '../../lib/http'
import { faultsOfValues, type ValueCheck } from '../../lib/schema'
import { addedHooks } from './hooks'
import type { RequestEvent, RequestHook } from './request-events'

/** A registry of prom-client. */
export interface MetricsRegister {
  readonly contentType: string
  registerMetric(metric: object): void
  metrics(): Promise<string>
}

/** Contains the options of `metrics`. */
export interface MetricsOptions {
  /** Sets the registry, by default the global registry of prom-client. */
  readonly register?: MetricsRegister
}

/** An optional peer dependency, loaded only by callers of `metrics()`. */
const loadClient = (): typeof Prometheus => require('prom-client') as typeof Prometheus

const checks: Readonly<Record<keyof MetricsOptions, ValueCheck>> = {
  register: {
    fits: (value) => typeof value === 'object' && value !== null && 'registerMetric' in value,
    problem: 'the option register must be a Registry of prom-client',
  },
}

/** In seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Registration {
  readonly client: typeof Prometheus
  readonly registers: Prometheus.Registry[]
}

/** Labels have few values: types of the schema, statuses, reasons and stages. */
function countRequests({ client: { Counter, Histogram }, registers }: Registration): RequestHook {
  const requests = new Counter({
    name: 'content_requests_total',
    help: 'Requests by type, status and reason of a 503',
    labelNames: ['type', 'status', 'reason'],
    registers,
  })
  const durations = new Histogram({
    name: 'content_request_duration_seconds',
    help: 'Duration of requests by type',
    labelNames: ['type'],
    buckets,
    registers,
  })
  const stages = new Histogram({
    name: 'content_stage_duration_seconds',
    help: 'Duration of the stages that a request reached',
    labelNames: ['stage'],
    buckets,
    registers,
  })
  return ({ type, status, reason, ms, stages: times }: RequestEvent) => {
    requests.inc({ type, status: status ?? 'abandoned', reason: reason ?? '' })
    durations.observe({ type }, ms / 1000)
    for (const [stage, spent] of Object.entries(times) as [string, number][])
      if (spent > 0) stages.observe({ stage }, spent / 1000)
  }
}

/** By the name of the metric. `read` returns undefined if the value does not exist at present. */
type Measures = Readonly<Record<string, readonly [help: string, read: () => number | undefined]>>

const loadMeasures = ({ queueLoad, database }: ExploredRouter): Measures => ({
  content_queue_running: ['Reads of the database that run', () => queueLoad().running],
  content_queue_waiting: ['Reads of the database that wait in the queue', () => queueLoad().waiting],
  content_pool_used: ['Connections in use', () => poolOf(database).numUsed?.()],
  content_pool_free: ['Idle connections', () => poolOf(database).numFree?.()],
  content_pool_pending: ['Callers that wait for a connection', () => poolOf(database).numPendingAcquires?.()],
  content_pool_max: ['Maximum number of connections', () => poolSize(database)],
})

const following = ({ isFollowing }: CacheStats): number | undefined =>
  isFollowing === undefined ? undefined : Number(isFollowing)

type Stats = () => CacheStats

const cacheMeasures = (stats: Stats): Measures => ({
  content_cache_bytes: ['Memory of the cached responses', () => stats().bytes],
  content_cache_entries: ['Cached responses', () => stats().entries],
  content_feed_following: ['1 while the change feed is connected', () => following(stats())],
  content_feed_retained_wal_bytes: ['WAL that PostgreSQL keeps for the feed', () => stats().retainedWal],
})

const cacheCounts = (stats: Stats): Measures => ({
  content_cache_hits_total: ['Responses from the cache', () => stats().hits],
  content_cache_misses_total: ['Responses that were not in the cache', () => stats().misses],
  content_cache_not_modified_total: ['Responses with status 304', () => stats().notModified],
  content_cache_evictions_total: ['Cached responses that a full cache has replaced', () => stats().evictions],
})

function measure(
  Kind: typeof Prometheus.Gauge | typeof Prometheus.Counter,
  registers: Prometheus.Registry[],
  measures: Measures,
): void {
  for (const [name, [help, read]] of Object.entries(measures)) {
    const metric = new Kind({
      ...{ name, help, registers },
      collect: () => {
        const value = read()
        metric.reset()
        if (value === undefined) metric.remove()
        else metric.inc(value)
      },
    })
  }
}

const where = 'metrics'

function faultsOfMetrics(inside: ExploredRouter, options: MetricsOptions): readonly Fault[] {
  const isObserved = inside.settings.extensions.some(({ name }) => name === 'observe')
  const remedy = 'write extensions: [observe()] in the options of the router'
  const unobserved = { where, problem: 'the router does not use the extension observe()', remedy }
  return [...(isObserved ? [] : [unobserved]), ...faultsOfValues(where, options, checks)]
}

/**
 * Registers metrics of the router with prom-client, and returns the registry. The router must have the extension
 * `observe()`.
 */
export function metrics(content: ContentRouter<object>, options: MetricsOptions = {}): MetricsRegister {
  const inside = exploredRouter(where, content)
  const faults = faultsOfMetrics(inside, options)
  if (faults.length > 0) throw new ConfigError(faults)
  const client = loadClient()
  const register: MetricsRegister = options.register ?? client.register
  const registers = [register as Prometheus.Registry]
  addedHooks(inside.database).push({ onRequest: countRequests({ client, registers }) })
  const stats: Stats = () => content.cache.stats()
  measure(client.Gauge, registers, { ...loadMeasures(inside), ...cacheMeasures(stats) })
  measure(client.Counter, registers, cacheCounts(stats))
  return register
}
