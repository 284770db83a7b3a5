import { type PermitRequest, type Grants, permit, type Permitted, refusingWith, roleSchema } from '../access'
import type { ReadAction } from '../config'
import type { Database } from '../database'
import { type Compiled, compilePlan, dialectOf, makeCompiler } from '../sql'
import { malformed, notFound, RequestError } from '../errors'
import { makeMemory, once } from '../memory'
import { type ReadTarget, bytesOfPlan, makePlan, type PlanSettings, type Removal } from '../plan'
import { parseQuery, type RawObject, readRaw } from '../query'
import { localeUid, type Model } from '../schema'
import { type BodyForm, type Format, makeWriting, type Style, type WriteBody, type Writing } from '../json'
import type { Facts } from '../tables'
import type {
  ChangeRows,
  CoreSettings,
  ListReading,
  PlannedReading,
  PlannedStream,
  ReadEntries,
  ReadingSettings,
  RouteManner,
} from './extension'
import { planSettings } from './limits'
import type { Rights } from './rights'
import { queryRewriter, rowChanges, textMatcher } from './run-extensions'

/** Everything about a request that decides which plan it runs. */
export interface PlanRequest extends Rights {
  readonly model: Model
  readonly asked: ReadTarget
  readonly format: Format
  /** What stands behind the `?`, or what the host's function wrote in its place. */
  readonly text: string | RawObject
  readonly manner: RouteManner
}

export interface PreparedPlan {
  /** Part of the cache key of responses. */
  readonly key: string
  readonly permitted: Permitted
  readonly compiled: Compiled
  /** Reads the body of a path of an extension, or the members that extensions add to `meta`. Null without any. */
  readonly reading: ReadEntries | null
  /** Sends the response of a path of an extension; null for others. */
  readonly stream: PlannedStream['send'] | null
  readonly write: WriteBody
  readonly writing: Writing
  /** Null where no extension changes rows. */
  readonly changeRows: ChangeRows | null
}

type AnyPlanned = PlannedReading | PlannedStream

/** A permitted plan, and what extensions read of its entries. */
export interface PermittedRequest {
  readonly permitted: Permitted
  readonly readings: readonly AnyPlanned[]
}

export function makePlanner(settings: CoreSettings, database: Database) {
  const { schema, extensions, textMatching } = settings
  const dialect = dialectOf(database)
  return {
    settings,
    database,
    dialect,
    compiler: makeCompiler(database, schema, textMatching),
    shared: planSettings(settings, schema, dialect),
    rewrite: queryRewriter(extensions, schema),
    /** Readings of extensions that may add to `meta` of a list. */
    besideLists: extensions.flatMap(({ listReading }) =>
      listReading?.planBeside === undefined ? [] : [listReading],
    ),
    matchText: textMatcher(extensions, database),
    plans: makeMemory<PermittedRequest>({
      maxBytes: 32 * 1024 * 1024,
      bytesOf: ({ permitted }) => bytesOfPlan(permitted),
    }),
    prepared: new WeakMap<Compiled, PreparedPlan>(),
    /** `shape`: columns of the tables decide how values are stored. */
    writing: null as (Readonly<Record<Format, Writing>> & { readonly shape: string }) | null,
  }
}

type Planner = ReturnType<typeof makePlanner>

function readingsFor({ besideLists }: Planner, { asked, manner }: PlanRequest): readonly ListReading[] {
  if (manner.reading !== undefined) return [manner.reading]
  return asked.kind === 'list' && manner.body === 'data' ? besideLists : []
}

/** Each reading takes its parameters from the query; the last one holds what is left. */
function planReadings(
  readings: readonly ListReading[],
  { model, limits, manner, readingGrants }: PlanRequest,
  text: string | RawObject,
): readonly AnyPlanned[] {
  const planned: AnyPlanned[] = []
  let raw = readRaw(text, limits.query)
  for (const reading of readings) {
    const own = { model, grants: readingGrants(model, reading.name) }
    const next = manner.reading === undefined ? reading.planBeside?.(raw, own) : reading.plan?.(raw, own)
    if (next === null || next === undefined) continue
    planned.push(next)
    raw = next.query
  }
  return planned
}

/** One function for all readings. */
function compileReadings(
  readings: readonly AnyPlanned[],
  permitted: Permitted,
  settings: ReadingSettings,
): ReadEntries {
  let from = 0
  const reads = readings.flatMap((reading) => {
    const own = permitted.keys.slice(from, from + reading.keys.length)
    from += reading.keys.length
    return 'send' in reading ? [] : reading.compile({ permitted, keys: own }, settings)
  })
  const [only, ...others] = reads
  if (only !== undefined && others.length === 0) return only
  return async (run, page) => {
    const members: object = {}
    for (const read of reads) Object.assign(members, await read(run, page))
    return members
  }
}

/** Equal requests share a plan, its SQL and its writer. */
export function planRequest(planner: Planner, request: PlanRequest, facts: Facts): PreparedPlan {
  const { plans, compiler, prepared, settings, database } = planner
  const key = keyOf(planner, request, facts)
  const { permitted, readings } = once(plans, key, () => permitRequest(planner, request, facts, null))
  const compiled = compilePlan(compiler, permitted)
  return once(prepared, compiled, () => {
    const writing = writingOf(planner, facts)[request.format]
    const write = writing.texts(compiled, bodyFormOf(settings, request, facts))
    const changeRows = rowChanges(settings.extensions, compiled)
    const readingSettings = { ...compiler, database, writerOf: writing.valueOf }
    const reading = readings.length === 0 ? null : compileReadings(readings, permitted, readingSettings)
    const [planned] = readings
    const stream = planned !== undefined && 'send' in planned ? planned.send : null
    return { key, permitted, compiled, stream, reading, write, writing, changeRows }
  })
}

/** Removals are planned anew, since clients may cause very many. */
export function removalsOf(planner: Planner, request: PlanRequest, facts: Facts): readonly Removal[] {
  const removed: Removal[] = []
  permitRequest(planner, request, facts, (removal) => removed.push(removal))
  return removed
}

function permitRequest(
  planner: Planner,
  request: PlanRequest,
  facts: Facts,
  tell: PermitRequest['tell'],
): PermittedRequest {
  const { settings, shared, rewrite } = planner
  const { schema, drafts } = settings
  const { model, asked, limits, text, manner } = request
  const rewritten = rewrite === null ? null : rewrite(readRaw(text, limits.query), model)
  const grants = rewritten?.isOfHost === true ? request.grants : grantsForClient(request)
  try {
    const queryLimits =
      manner.lists === 'whole' ? { ...limits.query, whole: limits.maxEntries } : limits.query
    const asking = readingsFor(planner, request)
    const readings = asking.length === 0 ? [] : planReadings(asking, request, rewritten?.raw ?? text)
    const raw = readings.at(-1)?.query ?? rewritten?.raw ?? text
    const further = asking.flatMap((one) => one.parameters?.[manner.reading ? 'path' : 'list'] ?? [])
    const ofPaths = asking.flatMap(({ name, parameters: { path = [] } = {} }) =>
      path.map((own) => [own, name] as const),
    )
    const query = parseQuery(raw, queryLimits, rewritten?.bases, further, new Map(ofPaths))
    const action = actionOf(request)
    const types = roleSchema(schema, grants, { model, action, isDraft: query.status === 'draft' })
    const refused = refusingWith(grants, drafts, query.status)
    const own: PlanSettings = {
      ...shared,
      ...limits,
      schema: types.schema,
      defaultLocale: defaultLocaleOf(settings, facts),
      hasColumn: ({ table }, column) => facts.tables.get(table)?.has(column) ?? false,
      isReadable: (one) => refused(one) === null,
    }
    const keys = readings.flatMap((reading) => reading.keys)
    const { matchText } = planner
    const plan = makePlan(own, {
      ...{ model: types.asked, asked: askedOf(types.asked, asked) },
      ...{ query, keys, matchText },
    })
    return { permitted: permit(schema, plan, { grants, types, drafts, action, tell }), readings }
  } catch (error) {
    throw rewritten !== null && error instanceof RequestError ? rewritten.errorFor(error) : error
  }
}

function writingOf(planner: Planner, facts: Facts): Readonly<Record<Format, Writing>> {
  const { shape } = facts
  if (planner.writing?.shape !== shape) {
    const [v5, v4] = [styleOf(planner, facts, 'v5'), styleOf(planner, facts, 'v4')]
    planner.writing = { shape, v5: makeWriting(v5), v4: makeWriting(v4) }
  }
  return planner.writing
}

function styleOf({ settings, dialect }: Planner, facts: Facts, format: Format): Style {
  return {
    // A document id is a string, although the key may be a number.
    formOf: ({ table }, { name, column, type }) =>
      name === 'documentId' && type !== 'string'
        ? 'plain'
        : dialect.formOf(type, facts.tables.get(table)?.get(column)),
    reading: settings.loadingArtefacts ? 'strapi' : 'stored',
    wrappings: format === 'v4' ? { ...settings, relations: 'wrapped', localizations: 'wrapped' } : settings,
    format,
  }
}

function whichOf(asked: ReadTarget): string {
  if (asked.kind === 'one') return `one ${asked.documentId}`
  if (asked.kind === 'by') return `by ${asked.column.name} ${asked.value}`
  return asked.kind === 'row' ? `row ${String(asked.id)}` : asked.kind
}

function keyOf(planner: Planner, request: PlanRequest, { shape, defaultLocale }: Facts): string {
  const { model, asked, grants, narrowedAction, limits, format, text, manner, readingGrants } = request
  const how = [shape, defaultLocale, format, manner.lists, manner.body, narrowedAction]
  // Plans depend on the grants for readings.
  for (const { name } of readingsFor(planner, request))
    how.push(JSON.stringify([manner.reading !== undefined, name, readingGrants(model, name)]))
  return JSON.stringify([model.uid, whichOf(asked), grants.key, limits.key, ...how, text])
}

function actionOf({ asked: { kind }, narrowedAction }: PlanRequest): ReadAction {
  if (narrowedAction !== null) return narrowedAction
  return kind === 'list' || kind === 'count' || kind === 'single' ? 'find' : 'findOne'
}

function askedOf({ columns }: Model, asked: ReadTarget): ReadTarget {
  if (asked.kind !== 'by') return asked
  const column = columns.get(asked.column.name)
  if (column === undefined) throw notFound()
  return { ...asked, column }
}

/** Roles that may only use queries of the host grant nothing to other queries. */
function grantsForClient(request: PlanRequest): Grants {
  const { grants, model } = request
  const { clientQueries } = grants
  if (clientQueries === null) return grants
  if (!clientQueries.may(model, actionOf(request)))
    throw malformed(['query'], 'Only named queries are allowed. Set the parameter query to a name')
  return clientQueries
}

const defaultLocaleOf = (settings: CoreSettings, facts: Facts): string =>
  settings.defaultLocale ?? facts.defaultLocale ?? 'en'

function bodyFormOf(settings: CoreSettings, { model, manner }: PlanRequest, facts: Facts): BodyForm {
  if (manner.body !== 'bare') return { kind: manner.body }
  return { kind: 'bare', defaultLocale: model.uid === localeUid ? defaultLocaleOf(settings, facts) : null }
}
