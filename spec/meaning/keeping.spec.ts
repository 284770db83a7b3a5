import { renameSync } from 'node:fs'
import { knex as makeKnex, type Knex } from 'knex'
import { migrate, seed } from '../../lib'
import { serveCached } from '../support/cached'
import { onSqlite, type World } from '../support/databases'
import { library } from '../support/library'
import { lineTo } from '../support/line'
import { onOwnServer } from '../support/own-server'

const content = {
  country: [{ $ref: 'uk', name: 'UK' }],
  author: [{ $ref: 'ada', name: 'Ada', country: 'uk' }],
  book: [{ title: 'Dawn', author: 'ada' }],
  memo: [
    { title: 'Hello', $locale: 'en' },
    { title: 'Hallo', $locale: 'de' },
  ],
}

const titles = ({ body }: { readonly body: string }): unknown[] =>
  (JSON.parse(body) as { data: { title?: unknown; name?: unknown }[] }).data.map(
    ({ title, name }) => title ?? name,
  )

onSqlite((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const on = { world, dialect: database.dialect }
  const rename = async (title: string): Promise<void> => {
    await world.knex('books').update({ title })
  }

  beforeAll(async () => {
    await migrate({ contentTypes: library, database: world.config })
    await seed({ contentTypes: library, database: world.config }, content)
  })

  it('answers from memory, byte for byte, until something is committed', async () => {
    const { get, kept, router } = await serveCached(on)
    await rename('Dawn')
    const first = await get('books?populate=author')
    const again = await kept('books?populate=author')
    expect(again.body).toBe(first.body)
    await rename('Dusk')
    expect(titles(await get('books?populate=author'))).toEqual(['Dusk'])
    expect(router.cache.stats().entries).toBe(1)
  })

  it('sees what is written through the Knex instance that it reads from', async () => {
    const knex = makeKnex({ ...world.config, useNullAsDefault: true })
    const { get, kept } = await serveCached(on, { database: knex })
    await knex('books').update({ title: 'Noon' })
    expect(titles(await kept('books'))).toEqual(['Noon'])
    await knex('books').update({ title: 'Night' })
    expect(titles(await get('books'))).toEqual(['Night'])
    await knex.destroy()
  })

  it('shares an answer between roles that may see the same, and with no other', async () => {
    const find = ['book', 'author']
    const permissions = { public: { find }, guest: { find }, reader: { find: '*' } } as const
    const { get, kept, router } = await serveCached(on, { permissions })
    const path = 'books?populate[author][populate]=country'
    const first = await kept(path)
    expect((await get(path, 'guest')).body).toBe(first.body)
    const { misses } = router.cache.stats()
    const whole = await get(path, 'reader')
    expect(whole.body).toContain('UK')
    expect(first.body).not.toContain('UK')
    expect(router.cache.stats().misses).toBe(misses + 1)
    expect((await get(path)).body).toBe(first.body)
  })

  it('keeps no answer for one that may no longer be asked for', async () => {
    const { get, kept } = await serveCached(on, { permissions: { public: { find: ['book'] } } })
    await kept('books')
    expect((await get('books', 'stranger')).status).toBe(403)
    expect((await get('books', 'stranger', { 'If-None-Match': '*' })).status).toBe(403)
  })

  it('forgets everything when it is told to', async () => {
    const { kept, get, router } = await serveCached(on)
    await kept('books')
    router.cache.clear()
    const { hits, entries, bytes } = router.cache.stats()
    expect([entries, bytes]).toEqual([0, 0])
    await get('books')
    expect(router.cache.stats().hits).toBe(hits)
  })

  it('follows the default locale of the settings as soon as it changes', async () => {
    const { kept, get } = await serveCached(on)
    expect(titles(await kept('memos'))).toEqual(['Hello'])
    const key = 'plugin_i18n_default_locale'
    const settings = world.knex('strapi_core_store_settings')
    await settings.clone().insert({ key, value: '"de"' })
    expect(titles(await get('memos'))).toEqual(['Hallo'])
    await settings.clone().where({ key }).update({ value: '"en"' })
    expect(titles(await get('memos'))).toEqual(['Hello'])
  })

  if (database.dialect === 'sqlite') {
    it('reads what cannot be asked about: a file that another has taken the place of', async () => {
      const { kept, get, router } = await serveCached(on)
      await kept('books')
      const { filename } = world.config.connection as { filename: string }
      renameSync(filename, `${filename}.old`)
      const { hits } = router.cache.stats()
      expect((await get('books')).status).toBe(200)
      renameSync(`${filename}.old`, filename)
      expect(router.cache.stats().hits).toBe(hits)
      expect((await get('books')).status).toBe(200)
      expect(router.cache.stats().hits).toBe(hits + 1)
    })
    return
  }

  it('reads what cannot be asked about: a line that breaks at every question', async () => {
    const line = world.closing(await lineTo(...addressOf(world)))
    line.watch((sent) => {
      if (/global_status|pg_current_snapshot/.test(sent.toString('latin1'))) line.cut()
    })
    const connection = { ...(world.config.connection as object), port: line.port }
    const { get, router } = await serveCached(on, {
      database: { ...world.config, connection } as Knex.Config,
    })
    for (const title of ['One', 'Two']) {
      await rename(title)
      expect(titles(await get('books'))).toEqual([title])
    }
    expect(router.cache.stats()).toMatchObject({ entries: 0, hits: 0 })
    line.watch(() => undefined)
    expect((await get('books')).status).toBe(200)
  })

  it('lets nobody wait longer than an answer may take, whoever waits already for the same', async () => {
    const line = world.closing(await lineTo(...addressOf(world)))
    const connection = { ...(world.config.connection as object), port: line.port }
    // Long enough for the first answer on a machine that has much else to do.
    const timeout = 4000
    const { get } = await serveCached(on, {
      database: { ...world.config, connection } as Knex.Config,
      timeout,
    })
    expect((await get('books')).status).toBe(200)
    line.freeze()
    const waits = [0, 0.3, 0.6, 0.9].map(async (part) => {
      await new Promise((resolve) => setTimeout(resolve, part * timeout))
      const begun = performance.now()
      const { status } = await get('books')
      return [status, performance.now() - begun] as const
    })
    const answers = await Promise.all(waits)
    line.thaw()
    line.cut()
    expect(answers.map(([status]) => status)).toEqual([503, 503, 503, 503])
    expect(Math.max(...answers.map(([, ms]) => ms))).toBeLessThan(1.5 * timeout)
  })

  it('answers nobody who asks later with what was read once more after a lost connection', async () => {
    const line = world.closing(await lineTo(...addressOf(world)))
    const connection = { ...(world.config.connection as object), port: line.port }
    const { get, kept, router } = await serveCached(on, {
      database: { ...world.config, connection } as Knex.Config,
    })
    await kept('countries')
    const { hits } = router.cache.stats()
    let isCut = false
    line.watch(async (sent) => {
      if (isCut || !/[`"]books[`"] as/.test(sent.toString('latin1'))) return
      isCut = true
      await world.knex('authors').update({ name: 'Augusta' })
      line.cut()
    })
    const path = 'authors?populate=books'
    expect(titles(await get(path))).toEqual(['Augusta'])
    expect(isCut).toBe(true)
    // It may be kept by the state in which it was asked for, which has passed: what was written meanwhile is in it.
    expect(titles(await get(path))).toEqual(['Augusta'])
    expect(router.cache.stats().hits).toBe(hits)
  })

  it('keeps nothing by the state of a page whose condition was worked out in the one before', async () => {
    const line = world.closing(await lineTo(...addressOf(world)))
    const connection = { ...(world.config.connection as object), port: line.port }
    const { get, router } = await serveCached(on, {
      database: { ...world.config, connection } as Knex.Config,
      consistency: 'relaxed',
      defaultLocale: 'en',
    })
    const path = `genres?filters${'[parent]'.repeat(10)}[name]=root`
    await get('countries')
    const root = await world.knex('genres').insert({ name: 'root', document_id: 'root' }, ['id'])
    const id = Number((root as { id: number }[])[0]?.id ?? root[0])
    const rename = (name: string): PromiseLike<unknown> => world.knex('genres').where({ id }).update({ name })
    await world.knex('genres_parent_lnk').insert({ genre_id: id, inv_genre_id: id })
    let isHeld = false
    line.watch(async (sent) => {
      const text = sent.toString('latin1')
      if (isHeld || !text.includes('genres') || !text.includes('order by')) return
      isHeld = true
      await rename('other')
    })
    const names = async (): Promise<unknown[]> => titles(await get(path))
    await names()
    expect(isHeld).toBe(true)
    expect(await names()).toEqual([])
    await rename('root')
    expect(await names()).toEqual(['root'])
    expect(router.cache.stats().hits).toBe(0)
  })
})

function addressOf({ config }: World): [host: string, port: number] {
  const { host, port } = config.connection as unknown as { host: string; port: number }
  return [host, port]
}
