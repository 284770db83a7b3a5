// A process in which a real Strapi is filled and serves. It says once where, and what it holds.
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { fill, type Refusals } from './fill'
import type { Strapi } from './strapi'
import { readWorld, type World } from './world'

interface Package {
  readonly createStrapi: (options: { appDir: string; distDir: string }) => Strapi
}

export interface ServeOrder {
  readonly folder: string
  readonly seed: number
}

export type Served =
  { readonly port: number; readonly world: World; readonly refused: Refusals } | { readonly reason: string }

async function serve({ folder, seed }: ServeOrder): Promise<Served> {
  process.chdir(folder)
  const { createStrapi } = createRequire(`${folder}/`)('@strapi/strapi') as Package
  const strapi = createStrapi({ appDir: folder, distDir: folder })
  await strapi.load()
  const refused = await fill(strapi, seed)
  const world = await readWorld(strapi)
  await strapi.listen()
  const { port } = strapi.server.httpServer.address() as AddressInfo
  return { port, world, refused }
}

// After it has written an entry Strapi reads it once more, unasked, which fails for attributes that it cannot populate.
process.on('unhandledRejection', () => undefined)
process.on('disconnect', () => process.exit(0))
serve(JSON.parse(process.argv[2] ?? '{}') as ServeOrder).then(
  (served) => process.send?.(served),
  (error: unknown) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    process.send?.({ reason } satisfies Served, () => process.exit(1))
  },
)
