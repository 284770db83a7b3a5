// A process of its own, so that its memory is that of the export alone.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { listExports } from '../../../extensions/export'
import { contentRouter } from '../../../lib'
import { millionTypes } from './million'

type Row = Readonly<Record<string, unknown>>

const dayOf = (day: unknown): unknown =>
  day instanceof Date
    ? new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
    : day

/** The JSON of the router. */
const lineOf = ({ id, document_id, title, slug, body, views, is_new, printed_on }: Row): string =>
  `${JSON.stringify({
    ...{ id, documentId: document_id, title, slug, body, views },
    ...{ isNew: Boolean(is_new), printedOn: dayOf(printed_on) },
    ...{ createdAt: null, updatedAt: null, publishedAt: null },
  })}\n`

const select = 'select id, document_id, title, slug, body, views, is_new, printed_on from entries order by id'

/** PostgreSQL's driver streams by a cursor. */
async function* postgresRows(knex: Knex): AsyncGenerator<Row> {
  const transaction = await knex.transaction()
  await transaction.raw(`declare rows no scroll cursor for ${select}`)
  for (;;) {
    const { rows } = await transaction.raw<{ readonly rows: readonly Row[] }>('fetch 10000 from rows')
    yield* rows
    if (rows.length === 0) break
  }
  await transaction.commit()
}

interface RawClient {
  acquireConnection(): Promise<{
    prepare(sql: string): { iterate(): Iterable<Row> }
    query(sql: string): { stream(): Readable }
  }>
  releaseConnection(connection: object): Promise<void>
}

async function* rowsOf(knex: Knex, client: unknown): AsyncGenerator<Row> {
  const pool = knex.client as RawClient
  const connection = await pool.acquireConnection()
  try {
    if (client === 'mysql2') yield* connection.query(select).stream() as AsyncIterable<Row>
    else yield* connection.prepare(select).iterate()
  } finally {
    await pool.releaseConnection(connection)
  }
}

/** Texts of some rows together, as a handwritten export would write them. */
async function* texts(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let text = ''
  for await (const row of rows) {
    text += lineOf(row)
    if (text.length < 65_536) continue
    yield text
    text = ''
  }
  yield text
}

function streaming(config: Knex.Config): RequestListener {
  const knex = makeKnex(config)
  return (_req, res) => {
    const rows = config.client === 'pg' ? postgresRows(knex) : rowsOf(knex, config.client)
    void pipeline(Readable.from(texts(rows)), res)
  }
}

const routing = (config: Knex.Config, snapshot: boolean): RequestListener =>
  express().use(
    '/api',
    contentRouter({
      contentTypes: millionTypes,
      database: config,
      logger: false,
      // Less than the whole export takes.
      timeout: 2000,
      permissions: { public: { find: '*', export: '*' } },
      extensions: [listExports({ snapshot })],
    }),
  )

async function main([given = '', by = '']: readonly string[]): Promise<void> {
  const config = JSON.parse(given) as Knex.Config
  const listener = by === 'driver' ? streaming(config) : routing(config, by === 'snapshot')
  const server = createServer({ keepAliveTimeout: 0 }, listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  let peak = 0
  setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 20)
  process.on('message', () => {
    process.send?.({ peak, now: process.memoryUsage().rss })
    peak = 0
  })
  process.send?.({ port: (server.address() as AddressInfo).port })
}

void main(process.argv.slice(2))
