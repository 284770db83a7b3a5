import type { Request } from 'express'
import type { PluginRight } from '../access'
import { unauthorized } from '../errors'
import type { Asked } from '../plan'
import { fileUid, largestId, localeUid, type Model, modelNamed, userUid } from '../schema'
import type { RouteManner } from './prepare'
import type { ReadRoute } from './read-route'
import type { Rights } from './rights'
import type { Settings } from './settings'

/** What Strapi's own clients read that is no content of a project: routes of the plugins that every Strapi has. */
export interface PluginRoute extends ReadRoute {
  readonly model: Model
  readonly right: PluginRight
}

export function numberOf(param: unknown): number | null {
  if (typeof param !== 'string' || !/^\d{1,10}$/.test(param)) return null
  const number = Number(param)
  return number > largestId ? null : number
}

const list = (): Asked => ({ kind: 'list' })
const count = (): Asked => ({ kind: 'count' })
const byNumber = ({ params }: Request): Asked => ({ kind: 'row', id: numberOf(params['id']) })

/** A token of the API is nobody. */
function oneself(_req: Request, { user }: Rights): Asked {
  if (user === null) throw unauthorized()
  return { kind: 'row', id: user }
}

const bare: RouteManner = { lists: 'whole', body: 'bare' }
const usual = { formats: 'v5', takesQuery: true, absent: 404, isPersonal: false } as const

interface TypedRoute extends Omit<PluginRoute, 'model'> {
  readonly right: PluginRight & { readonly type: string }
}

function plugin(type: string, controller: string) {
  return (
    path: string,
    action: string,
    route: Partial<TypedRoute> & Pick<TypedRoute, 'asks'>,
  ): TypedRoute => {
    const as = action === 'findOne' || action === 'me' ? 'findOne' : 'find'
    const right = { controller, action, type, as } as const
    return { ...usual, path, action: as, right, manner: bare, ...route }
  }
}

const files = plugin(fileUid, 'plugin::upload.content-api')
const users = plugin(userUid, 'plugin::users-permissions.user')
const locales = plugin(localeUid, 'plugin::i18n.locales')

const usersList = users('/users', 'find', { asks: list })

const routes: readonly TypedRoute[] = [
  files('/upload/files', 'find', { asks: list }),
  files('/upload/files/page', 'findPage', { asks: list, manner: { lists: 'pages', body: 'data' } }),
  files('/upload/files/:id', 'findOne', { asks: byNumber }),
  usersList,
  users('/users/count', 'count', { asks: count, manner: { lists: 'whole', body: 'total' } }),
  users('/users/me', 'me', { asks: oneself, absent: 204, isPersonal: true }),
  users('/users/:id', 'findOne', { asks: byNumber, absent: 204 }),
  locales('/i18n/locales', 'listLocales', { asks: list, takesQuery: false }),
]

/** `'*'` is of no users but those that entries lead to. */
export const mayListUsers = ({ mayAsk }: Pick<Rights, 'mayAsk'>): boolean => mayAsk(usersList.right)

export function pluginRoutesOf({
  schema,
  strapiRoutes,
}: Pick<Settings, 'schema' | 'strapiRoutes'>): readonly PluginRoute[] {
  if (!strapiRoutes) return []
  return routes.flatMap((route): PluginRoute[] => {
    const model = modelNamed(schema, route.right.type)
    return model === undefined ? [] : [{ ...route, model }]
  })
}
