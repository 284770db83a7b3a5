import { type Asker, type Grants, permit, type Permitted, refusingWith, roleSchema } from '../access'
import type { Database } from '../database'
import { type Compile, type Compiled, dialectOf } from '../compile'
import { malformed, notFound, RequestError } from '../errors'
import { makeMemory, once } from '../memory'
import { type Asked, bytesOfPlan, makePlan, type PlanSettings, type Removal } from '../plan'
import { parseQuery, type QueryLimits, type RawObject, readRaw } from '../query'
import { localeUid, type Model } from '../schema'
import {
  type BodyForm,
  type Format,
  type MakeBody,
  makeWriting,
  type Style,
  type WriteBody,
  type Writing,
} from '../shape'
import type { Facts } from '../tables'
import { type ChangeRows, rewritingsOf, rowChanges } from './extension'
import type { AnswerLimits } from './limits'
import type { RouteManner } from './read-route'
import { queryRewriter } from './rewrite-query'
import type { Rights } from './rights'
import { jsonOn } from './rule-settings'
import type { Settings } from './settings'

/** Of plans, without what hangs on their pages. */
const maxBytes = 32 * 1024 * 1024

/** Everything about a request that decides which plan it runs. */
export interface AskingForPlan extends Rights {
  readonly model: Model
  readonly asked: Asked
  readonly format: Format
  /** What stands behind the `?`, or what the host's function wrote in its place. */
  readonly text: string | RawObject
  readonly manner: RouteManner
}

export interface PreparedPlan {
  /** What equal requests share, and no others. */
  readonly key: string
  readonly permitted: Permitted
  readonly compiled: Compiled
  readonly write: WriteBody
  /** The same for who reads in this process; made when it is first wanted. */
  readonly objects: () => MakeBody
  /** Null where no extension changes rows. */
  readonly changeRows: ChangeRows | null
}

/** What the router was set up with, and its tables as they are now. */
interface ServedContent {
  readonly settings: Settings
  readonly database: Database
  readonly facts: Facts
}

function planSettings(
  { settings, database, facts }: ServedContent,
  limits: AnswerLimits,
): Omit<PlanSettings, 'isReadable'> {
  const exact = settings.textMatching === 'exact'
  const dialect = dialectOf(database)
  return {
    ...settings,
    ...limits,
    defaultLocale: defaultLocaleOf(settings, facts),
    refusesUnstorable: exact || dialect.isStrictlyTyped,
    matching: settings.textMatching,
    ...jsonOn(dialect, settings),
    isKey: (type, key) => dialect.keys.fits(type, key, settings.textMatching),
    hasColumn: ({ table }, column) => facts.tables.get(table)?.has(column) ?? false,
  }
}

function styleOf({ settings, database, facts }: ServedContent, format: Format): Style {
  const wrapped = format === 'v4'
  const dialect = dialectOf(database)
  return {
    formOf: ({ table }, { column, type }) => dialect.formOf(type, facts.tables.get(table)?.get(column)),
    reading: settings.loadingArtefacts ? 'strapi' : 'stored',
    wrappings: wrapped ? { ...settings, relations: 'wrapped', localizations: 'wrapped' } : settings,
    format,
  }
}

function whichOf(asked: Asked): string {
  if (asked.kind === 'one') return `one ${asked.documentId}`
  if (asked.kind === 'by') return `by ${asked.column.name} ${asked.value}`
  return asked.kind === 'row' ? `row ${String(asked.id)}` : asked.kind
}

/** Equal for requests that run the same plan and are given the same answer. */
function keyOf(
  { model, asked, grants, doing, limits, format, text, manner }: AskingForPlan,
  { shape, defaultLocale }: Facts,
): string {
  const how = [shape, defaultLocale, format, manner.lists, manner.body, doing]
  return JSON.stringify([model.uid, whichOf(asked), grants.key, limits.key, ...how, text])
}

function actionOf({ asked: { kind }, doing }: Pick<AskingForPlan, 'asked' | 'doing'>): 'find' | 'findOne' {
  if (doing !== null) return doing
  return kind === 'list' || kind === 'count' || kind === 'single' ? 'find' : 'findOne'
}

/** In the role's own words. */
function askedOf({ columns }: Model, asked: Asked): Asked {
  if (asked.kind !== 'by') return asked
  const column = columns.get(asked.column.name)
  if (column === undefined) throw notFound()
  return { ...asked, column }
}

const namedOnly = (): RequestError =>
  malformed(['query'], 'Only queries by their name are answered here: say which as query')

/** Roles that may only use queries of the host grant nothing to other queries. */
function grantsForClient(asking: AskingForPlan): Grants {
  const { grants, model } = asking
  const { clientQueries } = grants
  if (clientQueries === null) return grants
  if (!clientQueries.may(model, actionOf(asking))) throw namedOnly()
  return clientQueries
}

const queryLimitsOf = ({ limits, manner }: AskingForPlan): QueryLimits =>
  manner.lists === 'whole' ? { ...limits.query, whole: limits.maxEntries } : limits.query

const defaultLocaleOf = (settings: Settings, facts: Facts): string =>
  settings.defaultLocale ?? facts.defaultLocale ?? 'en'

function bodyFormOf(settings: Settings, { model, manner }: AskingForPlan, facts: Facts): BodyForm {
  if (manner.body !== 'bare') return { kind: manner.body }
  return { kind: 'bare', defaultLocale: model.uid === localeUid ? defaultLocaleOf(settings, facts) : null }
}

/** By itself, as a function that is made where a request is at hand would keep that for as long as its plan is kept. */
const objectsOf =
  ({ objects }: Writing, compiled: Compiled) =>
  (): MakeBody =>
    objects(compiled)

interface WritingByFormat extends Readonly<Record<Format, Writing>> {
  /** Of the tables, which decide how values are kept. */
  readonly shape: string
}

export interface Prepare {
  /** From a request's text to what answers it; made once for requests that are equal. */
  readonly plan: (asking: AskingForPlan, facts: Facts) => PreparedPlan
  /** What the plan leaves out. It is planned anew, since clients may name very much of it. */
  readonly removals: (asking: AskingForPlan, facts: Facts) => readonly Removal[]
}

export function makePrepare(settings: Settings, database: Database, compile: Compile): Prepare {
  const { schema, drafts } = settings
  const rewrite = queryRewriter(rewritingsOf(settings.extensions), schema)
  const changesOf = rowChanges(settings.extensions)
  const plans = makeMemory<Permitted>({ maxBytes, bytesOf: bytesOfPlan })
  const prepared = new WeakMap<Compiled, PreparedPlan>()
  const writingFor = (facts: Facts): WritingByFormat => ({
    shape: facts.shape,
    v5: makeWriting(styleOf({ settings, database, facts }, 'v5')),
    v4: makeWriting(styleOf({ settings, database, facts }, 'v4')),
  })
  let writing: WritingByFormat | undefined

  const plan = (asking: AskingForPlan, facts: Facts, tell: Asker['tell']): Permitted => {
    const { model, asked, limits } = asking
    const { raw, isOfHost, bases, errorFor } = rewrite(() => readRaw(asking.text, limits.query), model)
    const grants = isOfHost ? asking.grants : grantsForClient(asking)
    try {
      const query = parseQuery(raw ?? asking.text, queryLimitsOf(asking), bases)
      const action = actionOf(asking)
      const types = roleSchema(schema, grants, { model, action, isDraft: query.status === 'draft' })
      const refused = refusingWith(grants, drafts, query.status)
      const isReadable = (one: Model): boolean => refused(one) === null
      const own = {
        ...planSettings({ settings, database, facts }, limits),
        schema: types.schema,
        isReadable,
      }
      const plan = makePlan(own, { model: types.asked, asked: askedOf(types.asked, asked), query })
      return permit(schema, plan, { grants, types, drafts, action, tell })
    } catch (error) {
      throw error instanceof RequestError ? errorFor(error) : error
    }
  }

  const prepareOnce: Prepare['plan'] = (asking, facts) => {
    const key = keyOf(asking, facts)
    const permitted = once(plans, key, () => plan(asking, facts, null))
    const compiled = compile(permitted)
    return once(prepared, compiled, () => {
      if (writing?.shape !== facts.shape) writing = writingFor(facts)
      const own = writing[asking.format]
      const write = own.texts(compiled, bodyFormOf(settings, asking, facts))
      const changeRows = changesOf(compiled)
      return { key, permitted, compiled, write, objects: objectsOf(own, compiled), changeRows }
    })
  }
  return {
    plan: prepareOnce,
    removals: (asking, facts) => {
      const removed: Removal[] = []
      plan(asking, facts, (removal) => removed.push(removal))
      return removed
    },
  }
}
