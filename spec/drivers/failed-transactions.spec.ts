import { knex as makeKnex } from 'knex'
import { nobody } from '../../lib/access'
import { dialectOf } from '../../lib/compile'
import { openDatabase } from '../../lib/database'
import { makeStop, neverPrepared } from '../../lib/load'
import { withConnection } from '../../lib/load/with-connection'
import { describeOn, testDatabase } from '../support/databases'
import { library } from '../support/library'
import { stocked } from '../support/served'

interface Client {
  acquireConnection(): Promise<unknown>
  releaseConnection(connection: unknown): Promise<void>
}

interface ServerSession {
  query(sql: string): Promise<unknown>
}

/** As a host leaves it that forgets to end what has failed, or a pooler that lends on what another has begun. */
describeOn(['postgres'])('connections of a host on %s that are left in a failed transaction', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it.each(['books?populate=*', 'books', 'books/nobody'])(
    'are not used again, and cost no answer: %s',
    async (path) => {
      for (const cache of [false, {}]) {
        const instance = makeKnex({ ...world.config, pool: { min: 0, max: 1 } })
        world.closing({ close: () => instance.destroy() })
        const client = instance.client as Client
        const { get } = serve({ database: instance, cache })
        const { status, text } = await get(path)
        const connection = await client.acquireConnection()
        await (connection as ServerSession).query('begin')
        await expect((connection as ServerSession).query('select 1 / 0')).rejects.toThrow('division by zero')
        await client.releaseConnection(connection)
        const again = await get(path)
        expect([again.status, again.text]).toEqual([status, text])
        const next = await get(path)
        expect([next.status, next.text]).toEqual([status, text])
      }
    },
  )
})

describeOn(['postgres'])('statements on %s', (name) => {
  const world = testDatabase(name).fresh()

  it('tell what failed first, however deep it was asked, of statements that were sent at once', async () => {
    const opened = openDatabase(world.config)
    world.closing(opened)
    const stop = makeStop(60_000)
    const reading = {
      ...{ database: opened, dialect: dialectOf(opened), onStatement: () => undefined, snapshot: true },
      ...{ prepared: neverPrepared, asker: nobody, timer: null, server: undefined, stop },
    }
    const statement = (sql: string) => ({ sql, bindings: [], before: [], isPersonal: false, shows: [] })
    const asked = withConnection(reading, async (run) => {
      const deep = async (levels: number): Promise<unknown> =>
        levels === 0 ? run(statement('select 1 from nowhere')) : await deep(levels - 1)
      const both = Promise.all([deep(40), run(statement('select 1'))])
      // Both answers are there before either is looked at, as on a busy machine.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
      await both
    })
    await expect(asked).rejects.toMatchObject({ code: '42P01' })
    stop.finish()
  })
})
