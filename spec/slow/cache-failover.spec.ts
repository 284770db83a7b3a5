import { setTimeout as pause } from 'node:timers/promises'
import { type Knex, knex as makeKnex } from 'knex'
import { type ContentRouterConfig, migrate } from '../../lib'
import { changes } from '../../extensions/changes'
import { seed } from '../../extensions/seed'
import { type Cached, serveCached } from '../support/cached'
import { describeOn } from '../support/databases'
import { following, namesIn, publishAll } from '../support/feed'
import { library } from '../support/library'
import { type Line, lineTo } from '../support/line'
import { type Standby, startWithStandby } from '../support/servers/postgres'
import { promoted } from '../support/servers/replica'
import { connectionTo } from '../support/stores'

const logical = ['-c', 'wal_level=logical', '-c', 'max_replication_slots=8']
type Extensions = NonNullable<ContentRouterConfig['extensions']>
const feed: Extensions = [changes({ feed: true })]
const ways: readonly (readonly [name: string, extensions: Extensions])[] = [
  ['the clock', []],
  ['the feed', feed],
]

const portOf = (url: string): number => Number(new URL(url).port)
const connection = (url: string): Knex.Config => ({
  client: 'pg',
  connection: connectionTo(new URL(url), 5432, 'postgres'),
})
const nameOn = async (knex: Knex): Promise<unknown> =>
  (
    await knex<{ name: string }>('authors')
      .select('name')
      .catch(() => [])
  )[0]?.name

async function unfollow(standby: Knex): Promise<void> {
  await standby.raw(`alter system set primary_conninfo = ''`)
  await standby.raw('select pg_reload_conf()')
  while ((await standby('pg_stat_wal_receiver').select('pid')).length > 0) await pause(10)
}

describeOn(['postgres'], ['an installed server'])(
  'an address that fails over from a %s server to its standby',
  () => {
    const closing: (() => unknown)[] = []
    let servers: Standby
    let primary: Knex
    let standby: Knex
    let line: Line

    beforeEach(async () => {
      const started = await startWithStandby(logical, logical)
      if (started === undefined) throw new Error('PostgreSQL is not installed')
      servers = started
      primary = makeKnex(connection(servers.primary.url))
      standby = makeKnex(connection(servers.standby.url))
      line = await lineTo('127.0.0.1', portOf(servers.primary.url))
      await migrate({ contentTypes: library, database: primary })
      await seed({ contentTypes: library, database: primary }, { author: [{ name: 'Ada' }] })
      await primary.raw('create table logs (id serial primary key, text text)')
      await publishAll(primary)
      while ((await nameOn(standby)) !== 'Ada') await pause(10)
    }, 120_000)

    afterEach(async () => {
      for (const close of closing.splice(0)) await close()
      await line.close()
      for (const knex of [primary, standby]) await knex.destroy()
      await servers.standby.stop()
      await servers.primary.stop()
    }, 60_000)

    const serve = (extensions: Extensions): Promise<Cached> => {
      const given = connectionTo(new URL(servers.primary.url), 5432, 'postgres')
      const config = { client: 'pg', connection: { ...given, port: line.port } }
      const closingSoon = <T extends { readonly close: () => unknown }>(thing: T): T => {
        closing.push(() => thing.close())
        return thing
      }
      const world = { config, knex: primary, closing: closingSoon }
      return serveCached({ world, dialect: 'postgres' }, { extensions, logger: false })
    }

    const write = async (knex: Knex, name: string): Promise<unknown> => knex('authors').update({ name })

    it.each(ways)(
      'serves no commit that was lost, by %s',
      async (name, extensions) => {
        const served = await serve(extensions)
        const { get, router } = served
        if (name === 'the feed') await following(router)
        await write(primary, 'Bea')
        while ((await nameOn(standby)) !== 'Bea') await pause(5)
        // What is committed now the standby never hears of.
        await unfollow(standby)
        await write(primary, 'Lost')
        expect(namesIn(await get('authors'))).toEqual(['Lost'])
        const { headers } = await served.kept('authors')
        await servers.primary.kill()
        await promoted(servers.standby)
        line.lead(portOf(servers.standby.url))
        let shown: unknown = null
        while (shown === null) {
          const answer = await get('authors')
          if (answer.status === 200) shown = namesIn(answer)
          else expect([500, 503]).toContain(answer.status)
        }
        expect(shown).toEqual(['Bea'])
        // As much as was lost, so that the places in both logs are alike.
        for (const author of ['Next', 'Then', 'Last']) {
          await write(standby, author)
          expect(namesIn(await get('authors'))).toEqual([author])
          const known = await get('authors', 'public', { 'If-None-Match': headers.etag ?? '' })
          expect([known.status, namesIn(known)]).toEqual([200, [author]])
        }
        const { hits } = router.cache.stats()
        await served.kept('authors')
        expect(router.cache.stats().hits).toBeGreaterThan(hits)
      },
      120_000,
    )

    it('is followed again on the standby', async () => {
      const { router, get, kept } = await serve(feed)
      await following(router)
      await kept('authors')
      await servers.primary.kill()
      await promoted(servers.standby)
      line.lead(portOf(servers.standby.url))
      const start = performance.now()
      for (let survived = 0; survived < 3;) {
        await standby('logs').insert({ text: 'written' })
        const { hits } = router.cache.stats()
        await get('authors')
        survived = router.cache.stats().hits > hits ? survived + 1 : 0
        if (performance.now() - start > 60_000) throw new Error('nothing is followed any more')
        await pause(20)
      }
      expect(router.cache.stats().isFollowing).toBe(true)
      await write(standby, 'Followed')
      expect(namesIn(await get('authors'))).toEqual(['Followed'])
    }, 120_000)
  },
)
