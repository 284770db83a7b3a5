import type { Extension, ExtensionReadRoute } from '../../lib'
import { fileUid, localeUid, userUid } from '../../lib/schema'

const list = (path: string, type: string): ExtensionReadRoute => ({
  ...{ path, action: 'find', asks: () => ({ kind: 'list' }), manner: { lists: 'whole', body: 'bare' } },
  right: { controller: type, action: 'find', type, as: 'find' },
})

/** Routes to the types of plugins: with them `migrate` makes their tables. */
export const pluginTypes: Extension = {
  name: 'types of plugins',
  defaults: { localeType: true },
  routes: [list('/upload/files', fileUid), list('/users', userUid), list('/i18n/locales', localeUid)],
}
