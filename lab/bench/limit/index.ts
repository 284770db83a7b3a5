// The best handlers that could be written by hand for exactly these answers: what a general router is measured against.
import express from 'express'
import { measured } from '../measured-databases'
import type { Given, Side } from '../side'
import { answers } from './answers'
import { connect } from './database'
import { magazine } from './magazine'
import { writersFor } from './write'

export function limit(given: Given): Side {
  const name = measured(given.name)
  const app = express()
  const all = {
    ...answers(connect(given, given.bench), writersFor(name), given),
    q4: magazine(connect(given, given.recorded), name),
  }
  for (const [name, answer] of Object.entries(all)) {
    app.get(`/${name}`, (_req, res, next) => {
      answer().then((body) => {
        const bytes = Buffer.from(body)
        res.setHeader('Content-Type', 'application/json; charset=utf-8')
        res.setHeader('Content-Length', bytes.length)
        res.end(bytes)
      }, next)
    })
  }
  return { listener: app }
}
