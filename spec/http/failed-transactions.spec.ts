import { knex as makeKnex } from 'knex'
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
