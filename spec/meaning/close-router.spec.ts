import express, { type Express } from 'express'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { type Asker, askerOf } from '../support/asker'
import { onSqlite } from '../support/databases'
import { gateFor } from '../support/gate'
import { library } from '../support/library'
import { watching } from '../support/watching'

const path = '/api/books?populate=author'

onSqlite((database) => {
  const world = database.fresh()
  const askers: Asker[] = []

  beforeAll(async () => {
    await migrate({ contentTypes: library, database: world.config })
    await seed(
      { contentTypes: library, database: world.config },
      { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] },
    )
  })
  afterAll(() => Promise.all(askers.map((asker) => asker.close())))

  const make = (options: Partial<ContentRouterConfig>): ContentRouter =>
    contentRouter({
      contentTypes: library,
      database: world.config,
      permissions: { public: { find: '*' } },
      ...options,
    })

  async function asking(app: Express): Promise<Asker['ask']> {
    const asker = await askerOf(app)
    askers.push(asker)
    return asker.ask
  }

  describe('close()', () => {
    it('finishes running and queued requests, and sends 503 to later ones', async () => {
      const gate = gateFor(4)
      const router = make({ role: gate.pass, queue: { maxRunning: 1, maxWaiting: 3 } })
      const ask = await asking(express().use('/api', router))
      const inFlight = [path, path, path, path].map((one) => ask(one))
      await gate.crowd
      let isClosed = false
      const closed = router.close().then(() => {
        isClosed = true
      })
      const late = await ask(path)
      expect([late.status, late.headers['retry-after'], isClosed]).toEqual([503, '1', false])
      expect(late.headers['connection']).toBe('close')
      gate.open()
      const answers = await Promise.all(inFlight)
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      for (const { body } of answers) expect(JSON.parse(body)).toMatchObject({ data: [{ title: 'Dawn' }] })
      await closed
      expect((await ask(path)).status).toBe(503)
    })

    it('does not affect requests of other routes', async () => {
      const router = make({})
      let answerLate = (): void => undefined
      const app = express().use('/api', router)
      const isAsked = new Promise<void>((resolve) => {
        app.get('/api/events', (_req, res) => {
          answerLate = () => res.json('late')
          resolve()
        })
      })
      app.get('/api/other', (_req, res) => {
        res.json('other')
      })
      const ask = await asking(app)
      const late = ask('/api/events')
      await isAsked
      await router.close()
      expect(await ask('/api/other')).toMatchObject({ status: 200, body: '"other"' })
      expect((await ask('/api/nowhere')).status).toBe(404)
      answerLate()
      expect((await late).status).toBe(200)
    })

    it('does not wait for pipelined requests of a client that has disconnected', async () => {
      const gate = gateFor(3)
      const heard: unknown[] = []
      const ended = watching((event) => {
        if (event.kind === 'end') heard.push(event)
      })
      const router = make({ role: gate.pass, extensions: [ended] })
      const server = express().use('/api', router).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
      client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3))
      await gate.crowd
      client.destroy()
      server.close()
      await once(server, 'close')
      gate.open()
      await router.close()
      expect(heard).toHaveLength(3)
    })

    it('may be called again', async () => {
      const router = make({})
      await Promise.all([router.close(), router.close()])
      await router.close()
    })
  })
})
