import express from 'express'
import type { Side } from '../side'

const type = 'application/json; charset=utf-8'

function shelf(): {
  readonly remember: NonNullable<Side['remember']>
  readonly take: (url: string) => Buffer
} {
  let shelved: ReadonlyMap<string, Buffer> = new Map()
  return {
    remember: (bodies) => {
      shelved = new Map(Object.entries(bodies).map(([name, body]) => [`/${name}`, Buffer.from(body)]))
    },
    take: (url) => shelved.get(url) ?? Buffer.from('null'),
  }
}

/** What Express costs when there is nothing to do. */
export function expressMemory(): Side {
  const { remember, take } = shelf()
  const app = express()
  app.set('etag', false)
  app.get('/:name', (req, res) => {
    res.setHeader('Content-Type', type)
    res.end(take(req.url))
  })
  return { listener: app, remember }
}

export function httpMemory(): Side {
  const { remember, take } = shelf()
  const listener: Side['listener'] = (req, res) => {
    const body = take(req.url ?? '')
    res.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length })
    res.end(body)
  }
  return { listener, remember }
}
