import { fileURLToPath } from 'node:url'
import express from 'express'
import { contentRouter, migrate, seed } from 'express-content-router'
import { readContent } from './content.mjs'
import { page } from './page.mjs'
import { pictureFor } from './pictures.mjs'
import { site } from './site.mjs'

const folder = (path) => fileURLToPath(new URL(path, import.meta.url))
/** The sample site on an empty database: its tables, its content, and an Express app that serves both. */
export async function makeApp(database) {
  const config = { contentTypes: folder('../../content-types'), database }
  await migrate(config)
  await seed(config, readContent())

  const content = contentRouter({
    ...config,
    // A header is no proof of anything: an application takes the role from its session.
    role: (req) => req.get('X-Role') ?? 'public',
    ...site,
    index: true,
    openapi: true,
    notFound: 'json',
  })
  await content.ready()

  const app = express()
  app.disable('x-powered-by')
  app.use('/api', content)
  app.get('/uploads/:file', (req, res, next) => {
    const picture = pictureFor(req.params.file)
    if (picture === null) next()
    else res.type('svg').set('Cache-Control', 'public, max-age=3600').send(picture)
  })
  app.use('/page', express.static(folder('./page')))
  app.get('/', (_req, res) => res.type('html').send(page))
  return { app, close: () => content.close() }
}
