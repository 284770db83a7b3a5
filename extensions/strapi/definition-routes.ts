import type { Request } from 'express'
import type { RouteRight } from '../../lib/access'
import { isPermissionsSource } from '../../lib/config'
import { forbidden, malformed, notFound } from '../../lib/errors'
import {
  type Core,
  type CoreRights,
  type ExtensionRoute,
  sendToAsker,
  servesIndex,
  visibleTypes,
} from '../../lib/http'
import type { Model } from '../../lib/schema'
import { inOnePiece } from '../../lib/shape'
import { describeType } from './describe-type'

/** A table of the host's own knows types, and no such right: who lists what a role may read tells of that, too. */
function mayAskFor(right: RouteRight, { settings }: Core): (rights: CoreRights) => boolean {
  const { permissions, extensions } = settings
  const lists = servesIndex(extensions) && !isPermissionsSource(permissions)
  return ({ mayAsk }) => mayAsk(right) || lists
}

const kinds: readonly unknown[] = ['collectionType', 'singleType']

function isOfKind({ query }: Request): (model: Model) => boolean {
  const kind: unknown = query['kind']
  if (kind === undefined || kind === '') return () => true
  if (!kinds.includes(kind)) throw malformed(['kind'], `kind must be one of ${kinds.join(', ')}`)
  return (model) => model.kind === kind
}

/** Types that a role may not read are answered as unknown ones. */
function definitionHandler(right: RouteRight, components: boolean): ExtensionRoute['handler'] {
  return (core) => {
    const mayAsk = mayAskFor(right, core)
    return (req, res) => {
      const rights = core.rightsOf(req)
      if (!mayAsk(rights)) throw forbidden()
      const visible = visibleTypes(core.settings, rights.grants)
      const uids = new Set<string>(visible.map(({ uid }) => uid))
      const wanted = visible.filter(({ kind }) => (kind === 'component') === components)
      const describe = (model: Model): object => describeType(model, (uid) => uids.has(uid))
      const { uid } = req.params
      const one = wanted.find((model) => model.uid === uid)
      if (uid !== undefined && one === undefined) throw notFound()
      const shown = components ? wanted : wanted.filter(isOfKind(req))
      const data = one === undefined ? shown.map(describe) : describe(one)
      sendToAsker(res, inOnePiece(Buffer.from(JSON.stringify({ data }))))
    }
  }
}

const rightTo = (controller: string, action: string): RouteRight => ({
  controller: `plugin::content-type-builder.${controller}`,
  action,
  type: null,
  as: 'find',
})

/** In the order of the routes below. */
export const definitionRights: readonly RouteRight[] = [
  rightTo('content-types', 'getContentTypes'),
  rightTo('content-types', 'getContentType'),
  rightTo('components', 'getComponents'),
  rightTo('components', 'getComponent'),
]

/** What Strapi tells clients of its types, for those that make theirs of it. */
export const definitionRoutes: readonly ExtensionRoute[] = definitionRights.map((right) => {
  const { controller, action } = right
  const path = controller.replace('plugin::', '/').replace('.', '/')
  return {
    path: action.endsWith('s') ? path : `${path}/:uid`,
    handler: definitionHandler(right, controller.endsWith('components')),
  }
})
