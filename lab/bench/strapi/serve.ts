// A process in which a real Strapi serves; it tells the same facts about itself as our own sides.
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { countStatements } from '../measure/statements'
import { answerQuestions } from '../measure/facts'

interface Strapi {
  start(): Promise<{ readonly server: { readonly httpServer: Server } }>
}

interface Package {
  readonly createStrapi: (options: { appDir: string; distDir: string }) => Strapi
}

async function serve({ folder }: { readonly folder: string }): Promise<void> {
  process.chdir(folder)
  countStatements(folder)
  const load = createRequire(`${folder}/`)
  const { createStrapi } = load('@strapi/strapi') as Package
  const { server } = await createStrapi({ appDir: folder, distDir: folder }).start()
  answerQuestions(server.httpServer)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as { folder: string })
