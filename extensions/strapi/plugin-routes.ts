import type { Request } from 'express'
import { unauthorized } from '../../lib/errors'
import { type CoreRights, type ExtensionReadRoute, numberOf, type RouteManner } from '../../lib/http'
import type { ReadTarget } from '../../lib/plan'
import { fileUid, localeUid, userUid } from '../../lib/schema'

const list = (): ReadTarget => ({ kind: 'list' })
const count = (): ReadTarget => ({ kind: 'count' })
const byNumber = ({ params }: Request): ReadTarget => ({ kind: 'row', id: numberOf(params['id']) })

/** API tokens have no user. */
function oneself(_req: Request, { user }: CoreRights): ReadTarget {
  if (user === null) throw unauthorized()
  return { kind: 'row', id: user }
}

const bare: RouteManner = { lists: 'whole', body: 'bare' }

function plugin(type: string, controller: string) {
  return (
    path: string,
    action: string,
    route: Partial<ExtensionReadRoute> & Pick<ExtensionReadRoute, 'asks'>,
  ): ExtensionReadRoute => {
    const as = action === 'findOne' || action === 'me' ? 'findOne' : 'find'
    const right = { controller, action, type, as } as const
    return { path, action: as, right, manner: bare, ...route }
  }
}

const files = plugin(fileUid, 'plugin::upload.content-api')
const users = plugin(userUid, 'plugin::users-permissions.user')
const locales = plugin(localeUid, 'plugin::i18n.locales')

/** Routes of the plugins that every Strapi has: files, users and locales. */
export const pluginRoutes: readonly ExtensionReadRoute[] = [
  files('/upload/files', 'find', { asks: list }),
  files('/upload/files/page', 'findPage', { asks: list, manner: { lists: 'pages', body: 'data' } }),
  files('/upload/files/:id', 'findOne', { asks: byNumber }),
  users('/users', 'find', { asks: list }),
  users('/users/count', 'count', { asks: count, manner: { lists: 'whole', body: 'total' } }),
  users('/users/me', 'me', { asks: oneself, absent: 204, isPersonal: true }),
  users('/users/:id', 'findOne', { asks: byNumber, absent: 204 }),
  locales('/i18n/locales', 'listLocales', { asks: list, ignoresQuery: true }),
]
