import type { Request } from 'express'
import { type Grants, knownTo, type RouteRight } from '../../lib/access'
import { isPermissionsSource, type ReadAction } from '../../lib/config'
import { forbidden, malformed, notFound } from '../../lib/errors'
import {
  type Core,
  type CoreRights,
  type CoreSettings,
  type ExtensionRoute,
  mayRead,
  sendObject,
  servesIndex,
} from '../../lib/http'
import type { AttributeOutline, Model, Schema } from '../../lib/schema'

/**
 * A permissions table of the host has no such right: there, roles that may see the list of types may see definitions
 * too.
 */
function rightCheck(right: RouteRight, { settings }: Core): (rights: CoreRights) => boolean {
  const { permissions, extensions } = settings
  const lists = servesIndex(extensions) && !isPermissionsSource(permissions)
  return ({ mayAsk }) => mayAsk(right) || lists
}

type Described = Readonly<Record<string, unknown>>

function describeAttribute(outline: AttributeOutline, isVisible: (uid: string) => boolean): Described | null {
  if ('values' in outline) return { type: outline.type }
  if (!('targets' in outline)) return outline
  const { targets, ...facts } = outline
  const told = targets.filter(isVisible)
  const [target] = told
  switch (outline.type) {
    case 'dynamiczone':
      return { ...facts, components: told }
    case 'component':
      return { ...facts, component: target }
    case 'relation':
      if (targets.length !== 1) return facts
      return target === undefined ? null : { ...facts, target }
  }
}

/** The outline that Strapi shows clients, without tables, validation and editor labels, which do not affect responses. */
function describeType(model: Model, isVisible: (uid: string) => boolean): Described {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized } = model
  const attributes = Object.fromEntries(
    [...model.outlines].flatMap(([name, outline]): [string, Described][] => {
      const facts = describeAttribute(outline, isVisible)
      return facts === null ? [] : [[name, facts]]
    }),
  )
  if (kind === 'component') {
    const [category] = uid.split('.')
    return { uid, category, apiId: singularName, schema: { attributes } }
  }
  const [, plugin] = /^plugin::([^.]+)/.exec(uid) ?? []
  const pluginOptions = localized ? { i18n: { localized } } : {}
  const names = { kind, singularName, pluralName }
  const schema = { draftAndPublish, ...names, pluginOptions, attributes }
  return { uid, ...(plugin === undefined ? {} : { plugin }), apiID: singularName, schema }
}

const reads = ['find', 'findOne'] as const

/** Readable types, with the components and files that their entries contain. */
function visibleTypes(settings: CoreSettings, grants: Grants): readonly Model[] {
  const readsOf = (model: Model): readonly ReadAction[] =>
    reads.filter((action) => mayRead(settings, grants, model, action))
  const known = new Map(
    [...settings.schema.models].map(([uid, model]) => [uid, knownTo(grants, model, readsOf(model))] as const),
  )
  const models = [...known.values()]
  const visible = new Set(models.filter((one) => one.kind !== 'component' && readsOf(one).length > 0))
  // Grows during the loop.
  for (const model of visible) for (const embedded of embeddedIn(known, model)) visible.add(embedded)
  return models.filter((one) => visible.has(one))
}

/** Components and files need no grant of their own. */
function embeddedIn(models: Schema['models'], { outlines, links }: Model): readonly Model[] {
  const targets = [...outlines.keys()].flatMap((name) => links.get(name)?.targets ?? [])
  return targets.flatMap((uid) => {
    const model = models.get(uid)
    return model !== undefined && (model.kind === 'component' || model.open) ? [model] : []
  })
}

const kinds: readonly unknown[] = ['collectionType', 'singleType']

function isOfKind({ query }: Request): (model: Model) => boolean {
  const kind: unknown = query['kind']
  if (kind === undefined || kind === '') return () => true
  if (!kinds.includes(kind)) throw malformed(['kind'], `kind must be one of ${kinds.join(', ')}`)
  return (model) => model.kind === kind
}

/** Forbidden types get the 404 of an unknown type. */
function definitionHandler(right: RouteRight, components: boolean): ExtensionRoute['handler'] {
  return (core) => {
    const mayAsk = rightCheck(right, core)
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
      sendObject(res, { data })
    }
  }
}

const rightTo = (controller: string, action: string): RouteRight => ({
  controller: `plugin::content-type-builder.${controller}`,
  action,
  type: null,
  as: 'find',
})

export const definitionRights: readonly RouteRight[] = [
  rightTo('content-types', 'getContentTypes'),
  rightTo('content-types', 'getContentType'),
  rightTo('components', 'getComponents'),
  rightTo('components', 'getComponent'),
]

/** Type definitions at Strapi's paths, for clients that generate types from them. */
export const definitionRoutes: readonly ExtensionRoute[] = definitionRights.map((right) => {
  const { controller, action } = right
  const path = controller.replace('plugin::', '/').replace('.', '/')
  return {
    path: action.endsWith('s') ? path : `${path}/:uid`,
    handler: definitionHandler(right, controller.endsWith('components')),
  }
})
