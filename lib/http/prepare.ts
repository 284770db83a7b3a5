import { permit, type Permitted } from '../access'
import type { Database } from '../database'
import { type Compiled, dialectOf, type Loader } from '../load'
import { makeMemory } from '../memory'
import { type Asked, bytesOfPlan, checkForetoldCost, makePlan, type PlanSettings } from '../plan'
import { parseQuery } from '../query'
import type { Model } from '../schema'
import { type Format, makeWriting, type Style, type WriteBody } from '../shape'
import type { Facts } from '../tables'
import type { AnswerLimits } from './limits'
import type { Rights } from './rights'
import type { Settings } from './settings'
import { type Story, storyOf } from './story'

/** Of plans, without what hangs on their pages. */
const maxBytes = 32 * 1024 * 1024

/** Everything about a request that decides which plan it runs. */
export interface AskingForPlan extends Rights {
  readonly model: Model
  readonly asked: Asked
  readonly format: Format
  readonly text: string
}

export interface PreparedPlan {
  /** What equal requests share, and no others. */
  readonly key: string
  readonly compiled: Compiled
  readonly write: WriteBody
  readonly story: () => Story
}

function planSettings(
  settings: Settings,
  database: Database,
  facts: Facts,
  limits: AnswerLimits,
): PlanSettings {
  const exact = settings.textMatching === 'exact'
  const postgres = database.dialect === 'postgres'
  return {
    ...settings,
    ...limits,
    defaultLocale: settings.defaultLocale ?? facts.defaultLocale ?? 'en',
    refusesUnstorable: exact || postgres,
    matching: settings.textMatching,
    typedJson: postgres,
    supersets: exact || database.dialect === 'sqlite' ? 'none' : postgres ? 'json' : 'any',
    hasColumn: ({ table }, column) => facts.tables.get(table)?.has(column) ?? false,
  }
}

function styleOf(settings: Settings, database: Database, format: Format): Style {
  const wrapped = format === 'v4'
  return {
    forms: dialectOf(database).forms,
    reading: settings.strapiArtefacts ? 'strapi' : 'stored',
    wrappings: {
      relations: wrapped ? 'wrapped' : settings.relations,
      localizations: wrapped ? 'wrapped' : settings.localizations,
    },
    format,
  }
}

/** Equal for requests that run the same plan and show the same to whoever asks. */
function keyOf(
  { model, asked, grants, limits, format, text }: AskingForPlan,
  { shape, defaultLocale }: Facts,
): string {
  const which = asked.kind === 'one' ? `one ${asked.documentId}` : asked.kind
  return JSON.stringify([model.uid, which, grants.key, limits.key, shape, defaultLocale, format, text])
}

/** From a request's text to what answers it; made once for requests that are equal. */
export type Prepare = (asking: AskingForPlan, facts: Facts) => PreparedPlan

export function makePrepare(settings: Settings, database: Database, { compile }: Loader): Prepare {
  const { schema, drafts } = settings
  const explains = settings.explain !== undefined
  const plans = makeMemory<Permitted>({ maxBytes, bytesOf: bytesOfPlan })
  const prepared = new WeakMap<Compiled, PreparedPlan>()
  const writing = {
    v5: makeWriting(styleOf(settings, database, 'v5')),
    v4: makeWriting(styleOf(settings, database, 'v4')),
  }

  const plan = ({ model, asked, grants, limits, text }: AskingForPlan, facts: Facts): Permitted => {
    const query = parseQuery(text, limits.query)
    const plan = makePlan(planSettings(settings, database, facts, limits), model, query, asked)
    const permitted = permit(schema, plan, { grants, drafts, explains })
    checkForetoldCost(permitted, limits.maxCost)
    return permitted
  }

  const known = (key: string, asking: AskingForPlan, facts: Facts): Permitted => {
    const before = plans.get(key)
    if (before !== undefined) return before
    const made = plan(asking, facts)
    plans.set(key, made)
    return made
  }

  return (asking, facts) => {
    const key = keyOf(asking, facts)
    const permitted = known(key, asking, facts)
    const compiled = compile(permitted)
    const before = prepared.get(compiled)
    if (before !== undefined) return before
    const write = writing[asking.format](compiled)
    const made = { key, compiled, write, story: storyOf(permitted, compiled) }
    prepared.set(compiled, made)
    return made
  }
}
