import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import express from 'express'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouterConfig, migrate, seed } from '../../lib'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn, testDatabase, type World } from '../support/databases'
import { library } from '../support/library'

const path = '/api/books?populate=author'

const fileOf = ({ connection }: Knex.Config): string => (connection as { filename: string }).filename

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  expect(JSON.parse(body)).toMatchObject({ data: null, error: { name: 'ServiceUnavailableError' } })
}

function expectServed({ status, body }: Answer): void {
  expect([status, body]).toEqual([200, expect.stringContaining('Ada')])
}

describeOn(['sqlite'])('a file of %s', (name) => {
  const database = testDatabase(name)
  const askers: Asker[] = []

  async function filled(world: World): Promise<void> {
    const config = { contentTypes: library, database: world.config }
    await migrate(config)
    await seed(config, { author: [{ $ref: 'ada', name: 'Ada' }], book: [{ title: 'Dawn', author: 'ada' }] })
  }

  async function serve(
    world: World,
    options: Partial<ContentRouterConfig> = {},
    others: object = {},
  ): Promise<Asker> {
    const connection = { filename: fileOf(world.config), ...others }
    const router = world.closing(
      contentRouter({
        contentTypes: library,
        database: { ...world.config, connection },
        permissions: { public: { find: '*' } },
        ...options,
      }),
    )
    const app = express().use('/api', router)
    app.get('/other', (_req, res) => res.json('other'))
    const asker = await askerOf(app)
    askers.push(asker)
    return asker
  }

  afterAll(() => Promise.all(askers.map((asker) => asker.close())))

  describe('that may only be read', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    it.each(['delete', 'wal'])('is served, with the journal mode %s', async (mode) => {
      await world.knex.raw(`pragma journal_mode = ${mode}`)
      const { ask } = await serve(world, {}, { options: { readonly: true } })
      expectServed(await ask(path))
      expectServed(await ask(`${path}&sort=title`))
    })
  })

  describe('that a writer has locked', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    function lock(): () => void {
      const writer = new Sqlite(fileOf(world.config))
      writer.exec('begin exclusive')
      return () => {
        writer.exec('rollback')
        writer.close()
      }
    }

    it('is waited for, while others are served', async () => {
      const { ask } = await serve(world)
      expectServed(await ask(path))
      const unlock = lock()
      let isAnswered = false
      const waiting = ask(path).finally(() => {
        isAnswered = true
      })
      for (let count = 0; count < 5; count += 1) expect((await ask('/other')).status).toBe(200)
      expect(isAnswered).toBe(false)
      unlock()
      expectServed(await waiting)
    })

    it('is waited for before anything is known of it, too', async () => {
      const unlock = lock()
      const { ask } = await serve(world)
      const waiting = ask(path)
      expect((await ask('/other')).status).toBe(200)
      unlock()
      expectServed(await waiting)
    })

    it('is not waited for longer than an answer may take', async () => {
      const { ask } = await serve(world, { timeout: 2000 })
      expectServed(await ask(path))
      const unlock = lock()
      expectUnavailable(await ask(path))
      unlock()
      expectServed(await ask(path))
    })
  })

  describe('in WAL mode, in a folder that takes no more files', () => {
    const world = database.fresh()

    it('is a 503 until it does', async () => {
      await filled(world)
      const writer = new Sqlite(fileOf(world.config))
      writer.pragma('journal_mode = wal')
      writer.close()
      // Stands where SQLite wants its file: root, which CI may be, heeds no permissions.
      const inTheWay = `${fileOf(world.config)}-wal`
      mkdirSync(inTheWay)
      const { ask } = await serve(world)
      const refused = await ask(path)
      rmdirSync(inTheWay)
      expectUnavailable(refused)
      expectServed(await ask(path))
    })
  })

  describe('that is replaced under us', () => {
    const world = database.fresh()
    beforeAll(() => filled(world))

    it('is a 503 while it holds something else, and served again once it is right', async () => {
      const file = fileOf(world.config)
      const content = readFileSync(file)
      const { ask } = await serve(world)
      expectServed(await ask(path))
      writeFileSync(file, Buffer.alloc(content.length, 'x'))
      expectUnavailable(await ask(path))
      writeFileSync(file, content)
      expectServed(await ask(path))
    })

    it('is served as it was when it is moved away', async () => {
      const file = fileOf(world.config)
      const { ask } = await serve(world)
      expectServed(await ask(path))
      renameSync(file, `${file}.gone`)
      expectServed(await ask(path))
      renameSync(`${file}.gone`, file)
      expectServed(await ask(path))
    })
  })
})
