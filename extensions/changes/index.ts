import type { Core, Extension, ExtensionRoute } from '../../lib/http'
import { once } from '../../lib/memory'
import { changesHandler } from './changes-handler'
import { type ChangesOptions, faultsOfChanges, type StreamOptions } from './changes-options'
import { type FollowedChanges, followChanges } from './follow-changes'

export type {
  ChangedDocument,
  ChangeHook,
  ChangesOptions,
  ContentChange,
  FeedOptions,
  StreamOptions,
} from './changes-options'

/** Called once by each router. */
type Start = (core: Core) => FollowedChanges

const streamRoute = (options: StreamOptions, start: Start): ExtensionRoute => ({
  path: '/changes',
  handler: (core) => changesHandler({ core, stream: start(core).stream }, options),
})

/**
 * Follows changes of the database, for cached responses that stay valid, purges of a CDN, and live updates of clients.
 */
export function changes(options: ChangesOptions = {}): Extension {
  const followed = new WeakMap<Core, FollowedChanges>()
  const start: Start = (core) => once(followed, core, () => followChanges(core, options))
  const { stream = false } = options
  return {
    name: 'changes',
    check: (config) => faultsOfChanges(options, config),
    start,
    routes: stream === false ? [] : [streamRoute(stream === true ? {} : stream, start)],
  }
}
