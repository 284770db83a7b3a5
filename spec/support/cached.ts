import express from 'express'
import { contentRouter, type ContentRouter, type ContentRouterConfig } from '../../lib'
import { type Answer, askerOf } from './asker'
import type { World } from './databases'
import { library } from './library'
import { roleHeader } from './served'

export interface Cached {
  readonly router: ContentRouter
  readonly origin: string
  readonly get: (path: string, role?: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly head: (path: string) => Promise<Answer>
  /** Asks until answers come from memory, and returns one. */
  readonly kept: (path: string, role?: string) => Promise<Answer>
}

/** MariaDB's counter moves once more some time after a commit, when what was written over is cleared away. */
const milliseconds = { mysql: 400, postgres: 0, sqlite: 0 } as const

/** A router with a cache, which names the role in a header. */
export async function serveCached(
  { world, dialect }: { readonly world: World; readonly dialect: keyof typeof milliseconds },
  options: Partial<ContentRouterConfig> = {},
): Promise<Cached> {
  const restless = milliseconds[dialect]
  const router = contentRouter({
    contentTypes: library,
    database: world.config,
    permissions: { public: { find: '*' } },
    role: (req) => req.get(roleHeader) ?? 'public',
    cache: {},
    ...options,
  })
  const asker = await askerOf(express().use('/api', router))
  world.closing({
    close: async () => {
      await asker.close()
      await router.close()
    },
  })
  const get: Cached['get'] = (path, role = 'public', headers = {}) =>
    asker.ask(`/api/${path}`, { ...headers, [roleHeader]: role })
  return {
    router,
    origin: asker.origin,
    get,
    head: (path) => asker.ask(`/api/${path}`, {}, 'HEAD'),
    kept: async (path, role) => {
      const start = Date.now()
      for (let since = start; ;) {
        const { hits } = router.cache.stats()
        const answer = await get(path, role)
        const now = Date.now()
        if (router.cache.stats().hits === hits) since = now
        else if (now - since >= restless) return answer
        if (now - start > 10_000) throw new Error(`${path} is not kept within 10 seconds`)
      }
    },
  }
}
