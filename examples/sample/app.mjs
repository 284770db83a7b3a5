import { fileURLToPath } from 'node:url'
import express from 'express'
import { contentRouter, migrate } from 'express-content-router'
import { seed } from 'express-content-router/seed'
import { contentExplorer } from 'express-content-router/explorer'
import { observe } from 'express-content-router/observe'
import { openapi } from 'express-content-router/openapi'
import { namedQueries } from 'express-content-router/queries'
import { readContent } from './content.mjs'
import { examples } from './examples.mjs'
import { pictureFor } from './pictures.mjs'
import { queries, site } from './site.mjs'

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
    extensions: [
      openapi(),
      namedQueries(queries),
      // Whoever starts the sample is its operator. An application asks its session, too.
      observe({ serverTiming: true, explain: (req) => req.get('X-Explain') === 'yes' }),
    ],
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
  const roles = () => ['public', 'reader', 'editor']
  app.use('/explorer', contentExplorer(content, { title: 'The Long Way', roles, examples }))
  app.get('/', (_req, res) => res.redirect('explorer/'))
  return { app, close: () => content.close() }
}
