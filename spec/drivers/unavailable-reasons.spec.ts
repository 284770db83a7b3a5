import type { Knex } from 'knex'
import { describeOn, testDatabase } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { lineTo } from '../support/line'
import { lockBooks } from '../support/locked-books'
import { saying } from '../support/saying'
import { stocked } from '../support/served'
import { watching } from '../support/watching'

const limits = {
  postgres: `set statement_timeout = '2s'`,
  mariadb: 'set session max_statement_time = 2',
  mysql: 'set session max_execution_time = 2000',
}

describeOn(['postgres', 'mariadb', 'mysql'])('the reason of a 503 on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), library, { book: [{ title: 'Dawn' }] })

  it('is the database, where a limit that is set there ended a statement', async () => {
    const { logger, errors } = keeping()
    const reasons: unknown[] = []
    const pool = { afterCreate: saying(limits[name]) }
    const ended = watching((event) => {
      if (event.kind === 'end') reasons.push(event.reason)
    })
    const { get } = serve({
      ...{ database: { ...world.config, pool }, timeout: 60_000, logger },
      extensions: [ended],
    })
    await get('books')
    const unlock = await lockBooks(world.knex, name === 'postgres' ? name : 'mysql')
    const { status } = await get('books')
    await unlock()
    expect(status).toBe(503)
    await get('books')
    expect(reasons).toContain('database')
    expect(errors).toMatchObject([{ facts: { reason: 'database' } }])
  })

  it('is that it cannot be reached, until one line says that it can be again', async () => {
    const { host, port, ...others } = world.config.connection as { host: string; port: number }
    const line = await lineTo(host, port)
    const { logger, errors, warnings } = keeping()
    const database = { ...world.config, connection: { ...others, host: '127.0.0.1', port: line.port } }
    const { get } = serve({ database: database as Knex.Config, logger })
    expect((await get('books')).status).toBe(200)
    // Nothing listens there.
    line.lead(1)
    line.cut()
    for (let times = 0; times < 3; times += 1) expect((await get('books')).status).toBe(503)
    line.lead(port)
    for (let times = 0; times < 3; times += 1) expect((await get('books')).status).toBe(200)
    expect(errors.map(({ facts }) => facts['reason'])).toEqual(['unreachable'])
    expect(warnings).toEqual(['the database can be reached again'])
    await line.close()
  })
})
