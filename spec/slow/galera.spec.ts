import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { knex as makeKnex, type Knex } from 'knex'
import { fromDatabase } from '../../extensions/strapi'
import { contentRouter, type ContentRouter, type ContentRouterConfig, migrate } from '../../lib'
import { seed } from '../../extensions/seed'
import { type Answer, type Asker, askerOf } from '../support/asker'
import { describeOn } from '../support/databases'
import { library } from '../support/library'
import { type Galera, type GaleraNode, startGalera } from '../support/servers/galera'
import { startHaProxy } from '../support/servers/haproxy'
import type { Running } from '../support/servers/private-server'
import { connectionTo } from '../support/stores'

const nameIn = ({ status, body }: Answer): unknown =>
  status === 200
    ? (JSON.parse(body) as { readonly data: readonly { readonly name: unknown }[] }).data[0]?.name
    : status

describeOn(['mariadb'], ['Galera', 'HAProxy'])('a cluster of Galera', () => {
  let cluster: Galera
  let balancer: Running
  let writer: Knex
  const closing: (() => Promise<void>)[] = []

  const configOf = (url: string): Knex.Config => ({
    client: 'mysql2',
    connection: connectionTo(new URL(url), 3306, 'content'),
  })

  beforeAll(async () => {
    const nodes = await startGalera()
    const balanced = nodes && (await startHaProxy(nodes.nodes.map(({ url }) => new URL(url))))
    if (nodes === undefined || balanced === undefined) throw new Error('Galera or HAProxy is not installed')
    cluster = nodes
    balancer = balanced
    await node(1).run('create database content')
    writer = makeKnex(configOf(node(1).url))
    const config = { contentTypes: library, database: writer }
    await migrate(config)
    await seed(config, { author: [{ name: 'Ada' }] })
    await writer('up_roles').insert({ id: 1, type: 'public' })
    await writer('up_permissions').insert({ id: 1, action: 'api::author.author.find' })
    await writer('up_permissions_role_lnk').insert({ permission_id: 1, role_id: 1 })
  }, 180_000)

  afterAll(async () => {
    await Promise.all(closing.map((close) => close()))
    await writer.destroy()
    await balancer.stop()
    await cluster.stop()
  }, 60_000)

  function node(number: 1 | 2 | 3): GaleraNode {
    const found = cluster.nodes[number - 1]
    if (found === undefined) throw new Error('three nodes were asked for')
    return found
  }

  async function serving(
    url: string,
    options: Partial<ContentRouterConfig> = {},
  ): Promise<Asker & { readonly router: ContentRouter }> {
    const router = contentRouter({
      contentTypes: library,
      database: configOf(url),
      permissions: { public: { find: '*' } },
      logger: false,
      ...options,
    })
    const asker = await askerOf(express().use('/api', router))
    closing.push(async () => {
      await asker.close()
      await router.close()
    })
    return { ...asker, router }
  }

  /** Which every node has, by the time that this is over. */
  async function write(name: string, on: readonly (1 | 2 | 3)[]): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await writer('authors').update({ name })
        break
      } catch (error) {
        // Those that are left find each other anew.
        if (tries === 100) throw error
        await pause(100)
      }
    }
    for (const number of on) await node(number).catchUp()
  }

  /** Each is read by itself, on a connection of its own. */
  const askAtOnce = async (asker: Asker): Promise<unknown[]> => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        asker.ask(`/api/authors?pagination[pageSize]=${String(1 + number)}`),
      ),
    )
    return answers.map(nameIn)
  }

  async function expectAll(asker: Asker, name: string): Promise<void> {
    const answers: unknown[] = []
    for (let round = 0; round < 10; round += 1) answers.push(...(await askAtOnce(asker)))
    for (let asked = 0; asked < 50; asked += 1) answers.push(nameIn(await asker.ask('/api/authors')))
    expect(answers).toEqual(Array(150).fill(name))
  }

  describe('one of whose nodes is cut off', () => {
    let onIt: Asker & { readonly router: ContentRouter }
    let balanced: Asker & { readonly router: ContentRouter }
    let granting: Asker
    let etag: string

    beforeAll(async () => {
      onIt = await serving(node(3).url, { cache: {} })
      balanced = await serving(balancer.url, { cache: {} })
      granting = await serving(balancer.url, { permissions: fromDatabase({ maxAge: 1 }) })
      await write('Before', [2, 3])
      // Connections to all nodes, and an answer in memory.
      for (const asker of [onIt, balanced, granting]) await askAtOnce(asker)
      while (onIt.router.cache.stats().hits === 0) {
        await onIt.ask('/api/authors')
        await pause(20)
      }
      etag = (await onIt.ask('/api/authors')).headers.etag ?? ''
      await node(3).cutOff()
      await write('After', [2])
    }, 60_000)

    const expectRefused = ({ status, headers }: Answer): void => {
      expect([status, headers['retry-after']]).toEqual([503, '1'])
    }

    it('is a 503 on that node, even for cached responses', async () => {
      expectRefused(await onIt.ask('/api/authors'))
    })

    it('is not ready there', async () => {
      await expect(onIt.router.ready()).rejects.toThrow(/disconnected from its cluster/)
    })

    it('is a 503 for conditional requests', async () => {
      expectRefused(await onIt.ask('/api/authors', { 'If-None-Match': etag }))
    })

    it('is a 503 without a cache as well', async () => {
      expectRefused(await (await serving(node(3).url)).ask('/api/authors'))
    })

    it('is served from the other nodes, even if the balancer still uses that one', async () => {
      await expectAll(balanced, 'After')
    })

    it('reads permissions from the other nodes', async () => {
      await expectAll(granting, 'After')
    })

    it('is served by that node again once it has joined', async () => {
      await node(3).join()
      await node(3).catchUp()
      expect(nameIn(await onIt.ask('/api/authors'))).toBe('After')
      await expect(onIt.router.ready()).resolves.toBeUndefined()
    }, 120_000)
  })

  describe('behind a balancer', () => {
    it.each([
      ['killed', (victim: GaleraNode) => victim.kill(), (victim: GaleraNode) => victim.restart()],
      ['frozen', (victim: GaleraNode) => victim.freeze(), (victim: GaleraNode) => victim.thaw()],
    ])(
      'serves every request while a node is %s',
      async (_what, strike, mend) => {
        const asker = await serving(balancer.url, { cache: {} })
        await write('Steady', [2, 3])
        const answers = await askAtOnce(asker)
        const striking = pause(300).then(() => strike(node(2)))
        for (const until = performance.now() + 4000; performance.now() < until;)
          answers.push(...(await askAtOnce(asker)))
        await striking
        await mend(node(2))
        answers.push(...(await askAtOnce(asker)))
        expect([...new Set(answers)]).toEqual(['Steady'])
      },
      90_000,
    )
  })
})
