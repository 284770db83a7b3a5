import { LRUCache } from 'lru-cache'
import { permit } from '../access'
import type { Database } from '../database'
import { type Compiled, dialectOf, type Loader } from '../load'
import { type Asked, checkForetoldCost, makePlan, type PlanSettings, weightOf } from '../plan'
import { parseQuery } from '../query'
import type { Model } from '../schema'
import { type Format, makeWriting, type Style, type WriteBody } from '../shape'
import type { Facts } from '../tables'
import type { Limits } from './limits'
import type { Rights } from './rights'
import type { Settings } from './settings'
import { type Story, storyOf } from './story'

const mostPlans = 1000

/** Clients choose how large plans are: one shall not drive out all others, nor all together fill the memory. */
const mostBytes = 48 * 1024 * 1024

/** Everything about a request that decides which plan it runs. */
export interface Asking extends Rights {
  readonly model: Model
  readonly asked: Asked
  readonly format: Format
  readonly text: string
}

export interface Prepared {
  /** What equal requests share, and no others. */
  readonly key: string
  /** About how many bytes of memory it takes. */
  readonly weight: number
  readonly compiled: Compiled
  readonly write: WriteBody
  readonly story: () => Story
}

function planSettings(settings: Settings, database: Database, facts: Facts, limits: Limits): PlanSettings {
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
  { model, asked, grants, limits, format, text }: Asking,
  { shape, defaultLocale }: Facts,
): string {
  const which = asked.kind === 'one' ? `one ${asked.documentId}` : asked.kind
  return JSON.stringify([model.uid, which, grants.key, limits.key, shape, defaultLocale, format, text])
}

/** From a request's text to what answers it; made once for requests that are equal. */
export type Prepare = (asking: Asking, facts: Facts) => Prepared

export function makePrepare(settings: Settings, database: Database, { compile }: Loader): Prepare {
  const { schema, drafts } = settings
  const explains = settings.explain !== undefined
  const plans = new LRUCache<string, Prepared>({
    max: mostPlans,
    maxSize: mostBytes,
    maxEntrySize: mostBytes / 8,
    sizeCalculation: ({ weight }, key) => weight + 2 * key.length,
  })
  const writing = {
    v5: makeWriting(styleOf(settings, database, 'v5')),
    v4: makeWriting(styleOf(settings, database, 'v4')),
  }

  const prepare = (asking: Asking, facts: Facts, key: string): Prepared => {
    const { model, asked, grants, limits, format, text } = asking
    const query = parseQuery(text, limits.query)
    const plan = makePlan(planSettings(settings, database, facts, limits), model, query, asked)
    const permitted = permit(schema, plan, { grants, drafts, explains })
    checkForetoldCost(permitted, limits.maxCost)
    const compiled = compile(permitted)
    const write = writing[format](compiled)
    return {
      key,
      weight: weightOf(permitted.root) + 4 * text.length,
      compiled,
      write,
      story: storyOf(permitted, compiled),
    }
  }

  return (asking, facts) => {
    const key = keyOf(asking, facts)
    const known = plans.get(key)
    if (known !== undefined) return known
    const prepared = prepare(asking, facts, key)
    plans.set(key, prepared)
    return prepared
  }
}
