// Input: a content router and the roles that may be tried.
// Output: an Express router that serves a page for building queries.
// Rejected: other routers, and roles that the host does not let the caller try.
import { Router } from 'express'
import { type ExplorerOptions, faultsOfExplorer } from './explorer-options'
import { tryRoles, type Trying, triedRole } from './tried-role'
import { comparisonHandler } from './comparison-handler'
import { pageFile, pageHandler } from './page-handler'
import { typesHandler } from './types-handler'
import { ConfigError } from '../../lib/errors'
import { exploredRouter } from '../../lib/http'

export type { ExampleQueries, ExampleQuery, ExplorerOptions, TriedRoles } from './explorer-options'

/**
 * Creates a page on which developers build queries: `app.use('/explorer', contentExplorer(api))`. The page shows only
 * the types that the caller's role can read. The page exists only at its mount path.
 */
export function contentExplorer(api: Router, options: ExplorerOptions = {}): Router {
  const explored = exploredRouter('contentExplorer', api)
  const faults = faultsOfExplorer(options)
  if (faults.length > 0) throw new ConfigError(faults)
  const { title = 'Content', at = '/api', beside = null, roles, examples = [] } = options
  const trying: Trying = { api, explored, roleOf: triedRole(roles) }

  const router = Router()
  router.get('/', pageHandler(title))
  for (const name of ['page.js', 'page.css', 'icon.svg'] as const) router.get(`/${name}`, pageFile(name))
  router.get('/types', typesHandler(trying, { at, isBeside: beside !== null, examples }))
  router.use('/ask', tryRoles(trying))
  if (beside !== null) router.use('/beside', comparisonHandler(beside))
  return router
}
