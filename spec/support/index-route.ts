import type { Extension } from '../../lib'

/** Something at the mount itself, as the index of the extension `openapi` is. */
export const indexRoute: Extension = {
  name: 'index',
  routes: [{ path: '/', handler: () => (_req, res) => void res.json({}) }],
}
