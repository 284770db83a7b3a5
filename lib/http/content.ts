import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type Grants, type Identity, makeGranting, permit, readPermissions } from '../access'
import {
  type Answer,
  type Answers,
  type Asked as AskedBody,
  type Conditions,
  makeAnswers,
  ofOne,
} from '../cache'
import type { PermissionFunction, PermissionTable } from '../config'
import { type Database, poolSize, type ReadAt } from '../database'
import { malformed } from '../errors'
import {
  type Compiled,
  countEntries,
  dialectOf,
  type Loaded,
  type Loader,
  makeLoader,
  type Stop,
  whileBusy,
} from '../load'
import { type Asked, makePlan, type PlanSettings } from '../plan'
import { parseQuery } from '../query'
import type { Model } from '../schema'
import { type Format, makeWriter, type Style, type WriteBody } from '../shape'
import type { Facts } from '../tables'
import { raiseLoadError } from './errors'
import { fingerprintOf } from './fingerprint'
import { type Limits, makeLimiting } from './limits'
import { knowTables } from './known-tables'
import { makeQueue, type Queue } from './queue'
import type { Settings } from './settings'
import { type Story, storyOf } from './story'
import type { Watch } from './watch'

const mostPlans = 1000

/** What whoever asks may read, what that may cost, and at which moment of the database he asks. */
export interface Rights {
  readonly grants: Grants
  readonly limits: Limits
  readonly moment: ReadAt | undefined
  /** Nobody is let in on more than everybody is. */
  readonly isPublic: boolean
}

/** Everything about a request that decides which plan it runs. */
export interface Asking extends Rights {
  readonly model: Model
  readonly asked: Asked
  readonly format: Format
  readonly text: string
  readonly conditions: Conditions
}

interface Prepared {
  readonly compiled: Compiled
  readonly write: WriteBody
  readonly story: () => Story
}

/** What one router serves: from the text of a query to the body of its answer. */
export interface Content {
  readonly settings: Settings
  readonly database: Database
  readonly answers: Answers
  readonly rights: (identity: Identity, moment: ReadAt | undefined) => Promise<Rights>
  answer(asking: Asking, stop: Stop, watch: Watch | null): Promise<Answer | null>
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

const isPublic = (identity: Identity): boolean =>
  identity.kind === 'roles' && identity.roles.every((role) => role === 'public')

/** Equal for requests that run the same plan and show the same to whoever asks. */
function keyOf(
  { model, asked, grants, limits, format, text }: Asking,
  { shape, defaultLocale }: Facts,
): string {
  const which = asked.kind === 'one' ? `one ${asked.documentId}` : asked.kind
  return JSON.stringify([model.uid, which, grants.key, limits.key, shape, defaultLocale, format, text])
}

function prepare(
  settings: Settings,
  database: Database,
  { compile }: Loader,
  facts: Facts,
  asking: Asking,
): Prepared {
  const { schema, drafts } = settings
  const { limits } = asking
  const query = parseQuery(asking.text, limits.query)
  const plan = makePlan(planSettings(settings, database, facts, limits), asking.model, query, asking.asked)
  const permitted = permit(schema, plan, { grants: asking.grants, drafts })
  const compiled = compile(permitted)
  const write = makeWriter(compiled, styleOf(settings, database, asking.format))
  return { compiled, write, story: storyOf(permitted, compiled) }
}

/** Lists of lists can show many times more entries than were read. */
function checkEntries(rows: Loaded['rows'], most: number): void {
  if (countEntries(rows) <= most) return
  const limit = String(most)
  throw malformed(
    ['populate'],
    `The answer would show more than ${limit} entries; the option query.maxEntries raises this`,
  )
}

function written(
  { write }: Prepared,
  loaded: Loaded,
  { limits }: Asking,
  watch: Watch | null,
): ReturnType<WriteBody> {
  watch?.enter('write')
  checkEntries(loaded.rows, limits.maxEntries)
  const body = write(loaded, watch?.meta() ?? null)
  watch?.enter(null)
  return body
}

function permissionReader(
  settings: Settings,
  database: Database,
): (moment?: ReadAt) => Promise<PermissionTable | PermissionFunction> {
  const { permissions } = settings
  if (typeof permissions === 'object' && 'source' in permissions && permissions.source === 'database') {
    const read = readPermissions(database, permissions as Parameters<typeof readPermissions>[1])
    return (moment) => whileBusy(() => read(moment), { patience: settings.timeout }).catch(raiseLoadError)
  }
  return () => Promise.resolve(permissions as PermissionTable | PermissionFunction)
}

function rightsReader(settings: Settings, database: Database): Content['rights'] {
  const permissions = permissionReader(settings, database)
  const limiting = makeLimiting(settings)
  const granting = makeGranting(settings.schema, typeof settings.permissions !== 'function')
  return async (identity, moment) => ({
    grants: granting(await permissions(moment), identity),
    limits: limiting(identity),
    moment,
    isPublic: isPublic(identity),
  })
}

const mostWaiting = 100

/**
 * SQLite's driver holds the process until it has read, so what came meanwhile is seen only if each answer waits for a
 * turn of the event loop.
 */
function queueFor({ queue, logger }: Settings, database: Database): Queue {
  const { maxRunning = poolSize(database), maxWaiting = mostWaiting } = queue
  return makeQueue(
    { maxRunning, maxWaiting },
    logger,
    database.dialect === 'sqlite' ? setImmediate : undefined,
  )
}

export function makeContent(settings: Settings, database: Database): Content {
  const { schema, logger } = settings
  const plans = new LRUCache<string, Prepared>({ max: mostPlans })
  const tables = knowTables(database, schema, settings.defaultLocale === null)
  const fingerprint = fingerprintOf(settings, database.dialect)
  const answers = makeAnswers(database, { ...settings, fingerprint })
  const loader = makeLoader(database, schema, settings, (sql) => {
    logger.debug({ sql }, 'statement')
  })

  const queue = queueFor(settings, database)

  const planned = (key: string, make: () => Prepared): Prepared => {
    const known = plans.get(key)
    if (known !== undefined) return known
    const made = make()
    plans.set(key, made)
    return made
  }

  return {
    settings,
    database,
    answers,
    rights: rightsReader(settings, database),
    answer: (asking, stop, watch) => {
      const { moment, conditions } = asking
      watch?.enter('plan')
      return tables.read({ stop, moment }, async (known) => {
        watch?.enter('plan')
        const key = keyOf(asking, known)
        const prepared = planned(key, () => prepare(settings, database, loader, known, asking))
        watch?.planned(prepared.story)
        watch?.enter('wait')
        const read: AskedBody['read'] = (end, onConnection) =>
          queue.run(end, async () => {
            const loaded = await loader.load(prepared.compiled, end, watch, onConnection)
            return written(prepared, loaded, asking, watch)
          })
        // An explanation is of one reading, and for one reader.
        const answer = watch?.isExplaining()
          ? ofOne(await read(stop))
          : await answers.answer({ key, moment, read }, conditions, stop)
        watch?.enter(null)
        return answer
      })
    },
  }
}
