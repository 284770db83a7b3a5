import express from 'express'
import { sign } from 'jsonwebtoken'
import { setTimeout as pause } from 'node:timers/promises'
import request from 'supertest'
import { fromDatabase, strapiAuth } from '../../lib'
import { onSqlite } from '../support/databases'
import { apiTokenSalt, jwtSecret, keyOfToken, siteOver } from '../support/recorded-site'

const hour = 3_600_000
const maxAge = 30

const Clock = Date

/** From here on the clock on the wall is so far ahead of what it was, or behind; everything else takes its time. */
function setClock(milliseconds: number): void {
  class Moved extends Clock {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [Moved.now()] : given) as [number]))
    }
    static override now = (): number => Clock.now() + milliseconds
  }
  globalThis.Date = Moved as DateConstructor
}

onSqlite((database) => {
  const world = database.restored()
  const routerWith = siteOver(world, database)
  const editor = 1
  let app = express()

  beforeEach(() => {
    const role = strapiAuth({ jwtSecret, apiTokenSalt, maxAge })
    app = express().use('/api', routerWith({ permissions: fromDatabase({ maxAge }), role }))
  })
  afterEach(() => {
    globalThis.Date = Clock
  })

  const statusOf = async (path: string, token?: string): Promise<number> => {
    const asked = request(app).get(path)
    return (await (token === undefined ? asked : asked.set('Authorization', `Bearer ${token}`))).status
  }

  const addToken = (text: string, more: object = {}): Promise<unknown> =>
    world
      .knex('strapi_api_tokens')
      .insert({ name: text, type: 'full-access', kind: 'content-api', access_key: keyOfToken(text), ...more })

  it('the clock says when a token ends', async () => {
    const end = Clock.now() + hour / 2
    const text = new Clock(end).toISOString().replace('T', ' ').replace('Z', '')
    await addToken('ending', { expires_at: database.dialect === 'sqlite' ? end : text })
    const token = sign({ id: editor }, jwtSecret, { expiresIn: '30m' })
    const statuses = async (): Promise<number[]> => [
      await statusOf('/api/tags', 'ending'),
      await statusOf('/api/tags', token),
    ]
    expect(await statuses()).toEqual([200, 200])
    setClock(hour)
    expect(await statuses()).toEqual([401, 401])
  })

  describe('a clock that is set back does not keep alive', () => {
    it('a permission that was revoked', async () => {
      expect(await statusOf('/api/articles')).toBe(200)
      setClock(-hour)
      await world.knex('up_permissions').where({ action: 'api::article.article.find' }).delete()
      await pause(3 * maxAge)
      expect(await statusOf('/api/articles')).toBe(403)
    })

    it('a user who was blocked', async () => {
      const token = sign({ id: editor }, jwtSecret, { expiresIn: '1d' })
      expect(await statusOf('/api/tags', token)).toBe(200)
      setClock(-hour)
      await world.knex('up_users').where({ id: editor }).update({ blocked: true })
      await pause(3 * maxAge)
      expect(await statusOf('/api/tags', token)).toBe(401)
    })

    it('a token that was deleted', async () => {
      await addToken('deleted')
      expect(await statusOf('/api/tags', 'deleted')).toBe(200)
      setClock(-hour)
      await world.knex('strapi_api_tokens').where({ name: 'deleted' }).delete()
      await pause(3 * maxAge)
      expect(await statusOf('/api/tags', 'deleted')).toBe(401)
    })
  })
})
