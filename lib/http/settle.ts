import { type RequestHandler, Router } from 'express'
import { requestNeeds } from '../access'
import type { Database } from '../database'
import { forbidden } from '../errors'
import { remember } from '../freshness'
import type { RawObject } from '../query'
import { makeDeadline, ownConnection, unprepared, whileBusy } from '../read'
import type { Model } from '../schema'
import { settleSchema } from '../tables'
import { makeAuthorize } from './authorize'
import { type Content, makeContent } from './content'
import { handleErrors, raiseLoadError } from './errors'
import type { Core, ListObjects } from './extension'
import { makeObserving } from './observing'
import type { InFlight } from './queue'
import { readObjects } from './respond-to-request'
import { mayRead, type Rights } from './rights'
import { addRoutes, contentManner, pathsOf } from './routes'
import { runExtensions, typesOfRoutes } from './run-extensions'
import type { Settings } from './settings'

/** Reads a list as objects, with rights that are known. */
async function readList(
  content: Content,
  rights: Rights,
  list: { readonly model: Model; readonly text: RawObject },
): Promise<ListObjects> {
  if (!mayRead(content.settings, rights.grants, list.model, 'find')) throw forbidden()
  const stop = makeDeadline(rights.limits.timeout)
  const asking = { ...list, manner: contentManner, format: 'v5', asked: { kind: 'list' } } as const
  try {
    const own = { stop, conditions: {}, observation: null, client: null }
    return (await readObjects(content, { ...rights, ...asking, ...own })) as ListObjects
  } finally {
    stop.finish()
  }
}

/** A router for one schema. */
function serve(settings: Settings, database: Database, requests: InFlight) {
  const onOwnConnection = ownConnection(database, unprepared, settings.timeout)
  const core: Core = {
    settings,
    database,
    ask: (sql) => onOwnConnection((run) => run(sql)),
    rightsOf: (req) => authorize.rightsOf(req),
    readList: (req, model, query) => readList(content, authorize.rightsOf(req), { model, text: query }),
    renewRights: (req) => authorize.anew(req),
  }
  const extensions = runExtensions(core)
  const content = makeContent(settings, database, extensions)
  const router = Router()
  const observing = makeObserving(core)
  const authorize = makeAuthorize(content, observing)
  addRoutes(router, { content, core, authorize, track: requests.layer, observing })
  router.use(handleErrors(settings.answerError))
  return { router, content, extensions, observing }
}

export type Serving = ReturnType<typeof serve>

/**
 * The types of custom fields are read from the database before the first response. Until it can be reached, nothing is
 * sent that might be wrong.
 */
export function settleRouter(settings: Settings, database: Database, requests: InFlight) {
  const { schema, logger, timeout, extensions } = settings
  if (schema.custom.length === 0) {
    const only = serve(settings, database, requests)
    return { router: only.router, now: () => only, settled: () => Promise.resolve(only) }
  }

  let first: Serving | null = null
  let last: Serving | null = null
  const settle = remember(async () => {
    const whole = await whileBusy(() => settleSchema(database, schema, logger), { patience: timeout })
    const needs = requestNeeds(settings, whole, typesOfRoutes(extensions))
    last = serve({ ...settings, schema: whole, needs }, database, requests)
    return last
  }, Infinity)
  const handle: RequestHandler = (req, res, next) => {
    if (last !== null) {
      last.router(req, res, next)
      return
    }
    requests.layer(req, res, (refusal?: unknown) => {
      if (refusal !== undefined) next(refusal)
      else
        settle()
          .catch(raiseLoadError)
          .then(({ router }) => {
            router(req, res, next)
          })
          .catch(next)
    })
  }
  const router = Router()
  // Other paths go on to the host, unless the option says otherwise.
  if (settings.notFound === 'json') router.use(handle)
  else router.all(pathsOf(settings), handle)
  router.use(handleErrors(settings.answerError))
  return {
    router,
    // By the definitions alone until the database was read, and without extensions, which would start a second time.
    now: () => last ?? (first ??= serve({ ...settings, extensions: [] }, database, requests)),
    settled: () => settle(),
  }
}

/** A router whose schema may depend on the database. */
export type Settling = ReturnType<typeof settleRouter>
