// An app whose answers Varnish keeps for a day, and forgets as soon as somebody commits something that they were read from.
import express from 'express'
import { contentRouter } from 'express-content-router'
import { changes } from 'express-content-router/changes'
import { purge } from './purge.mjs'

const { DATABASE_URL, VARNISH_URL = 'http://127.0.0.1:6081/', PORT = '1337' } = process.env

const content = contentRouter({
  contentTypes: './content-types',
  database: { client: 'pg', connection: DATABASE_URL },
  permissions: { public: { find: '*' } },
  cache: {},
  headers: { '*': { cacheControl: 's-maxage=86400, max-age=0' } },
  extensions: [changes({ feed: true, cacheTags: true, onChange: purge(VARNISH_URL) })],
})
express().use('/api', content).listen(Number(PORT), '127.0.0.1')
