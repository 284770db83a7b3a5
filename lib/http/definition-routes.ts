import type { Request, RequestHandler } from 'express'
import type { PluginRight } from '../access'
import { malformed, notFound } from '../errors'
import type { Model } from '../schema'
import { inOnePiece } from '../shape'
import type { Authorize } from './authorize'
import { servesIndex } from './extension'
import type { Rights } from './rights'
import { sendToAsker } from './send'
import type { Settings } from './settings'
import { describeType } from './describe-type'
import { visibleTypes } from './visible-types'

/** What Strapi tells clients of its types, for those that make theirs of it. */
interface DefinitionRoute {
  readonly path: string
  readonly right: PluginRight
  readonly components: boolean
}

function definitions(controller: string, one: string, components: boolean): readonly DefinitionRoute[] {
  const path = `/content-type-builder/${controller}`
  const right = { controller: `plugin::content-type-builder.${controller}`, type: null, as: 'find' } as const
  return [
    { path, right: { ...right, action: `${one}s` }, components },
    { path: `${path}/:uid`, right: { ...right, action: one }, components },
  ]
}

const all = [
  ...definitions('content-types', 'getContentType', false),
  ...definitions('components', 'getComponent', true),
]

export const definitionRoutesOf = ({
  strapiRoutes,
}: Pick<Settings, 'strapiRoutes'>): readonly DefinitionRoute[] => (strapiRoutes ? all : [])

/** A table of the host's own knows types, and no such right: who lists what a role may read tells of that, too. */
export function mayAskFor(
  { right }: DefinitionRoute,
  { permissions, extensions }: Settings,
): (rights: Rights) => boolean {
  const isInDatabase = typeof permissions === 'object' && permissions['source'] === 'database'
  return ({ mayAsk }) => mayAsk(right) || (servesIndex(extensions) && !isInDatabase)
}

const kinds: readonly unknown[] = ['collectionType', 'singleType']

function isOfKind({ query }: Request): (model: Model) => boolean {
  const kind: unknown = query['kind']
  if (kind === undefined || kind === '') return () => true
  if (!kinds.includes(kind)) throw malformed(['kind'], `kind must be one of ${kinds.join(', ')}`)
  return (model) => model.kind === kind
}

/** Of what a role may not read it hears as of what is not there. */
export function definitionHandler(
  settings: Settings,
  { rightsOf }: Authorize,
  { components }: DefinitionRoute,
): RequestHandler {
  return (req, res) => {
    const visible = visibleTypes(settings, rightsOf(req).grants)
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
