import express from 'express'
import type { Knex } from 'knex'
import { contentRouter, type ContentRouterConfig, migrate, type PermissionTable } from '../../lib'
import { seed } from '../../extensions/seed'
import { describeOn } from '../support/databases'
import { askerOf } from '../support/asker'
import { onceOn, startWithDatabase } from '../support/killable'
import { collection, relation, text } from '../support/library'
import type { Killable } from '../support/servers/private-server'

const contentTypes = [
  collection('order', {
    title: text,
    notes: relation('oneToMany', 'note', { mappedBy: 'order' }),
  }),
  collection('note', {
    line: { type: 'text' },
    data: { type: 'json' },
    order: relation('manyToOne', 'order', { inversedBy: 'notes' }),
  }),
] as unknown as ContentRouterConfig['contentTypes']

interface Entry {
  readonly title?: string
  readonly data?: unknown
}

const packet = 1_048_576
const long = (word: string): string => `${'x'.repeat(packet)} ${word} ${'ç'.repeat(packet / 2)}`

describeOn(['mariadb', 'mysql'], ['an installed server'])(
  'texts that are larger than a packet of %s',
  (name) => {
    let server: Killable
    let database: Knex.Config

    beforeAll(async () => {
      const own = await startWithDatabase(name, [`--max-allowed-packet=${String(16 * packet)}`])
      server = own.server
      database = own.config
      await migrate({ contentTypes, database })
      await seed(
        { contentTypes, database },
        {
          order: [
            { $ref: 'hidden', title: 'hidden' },
            { $ref: 'shown', title: 'shown' },
          ],
          note: [
            { line: long('Secret'), data: [long('Secret')], order: 'hidden' },
            { line: long('open'), data: [long('open')], order: 'shown' },
          ],
        },
      )
      await onceOn(database, async (knex) => {
        await knex.raw('alter table notes modify line longtext character set latin1')
        await knex.raw('set global max_allowed_packet = ?', [packet])
      })
    }, 120_000)
    afterAll(() => server.stop())

    async function listed(
      path: string,
      find: object = { order: true, note: true },
    ): Promise<readonly Entry[]> {
      const permissions = { public: { find } } as PermissionTable
      const router = contentRouter({ contentTypes, database, permissions, logger: false })
      const asker = await askerOf(express().use('/api', router))
      const { body } = await asker.ask(`/api/${path}`)
      await asker.close()
      await router.close()
      return (JSON.parse(body) as { readonly data: readonly Entry[] }).data
    }
    const titlesBy = async (where: object): Promise<unknown> =>
      (await listed('orders?fields=title', { order: { where } })).map(({ title }) => title)

    it.each([
      { $contains: 'Secret' },
      { $containsi: 'secret' },
      { $startsWith: 'xx' },
      { $startsWithi: 'XX' },
      { $endsWith: 'ç' },
      { $gt: 'xw' },
      { $nei: 'secret' },
      { $ne: 'Secret' },
    ])('are compared by a rule with $none and %j', async (met) => {
      const shown = JSON.stringify(met).toLowerCase().includes('contains') ? ['shown'] : []
      expect(await titlesBy({ notes: { $none: { line: met } } })).toEqual(shown)
      expect(await titlesBy({ $not: { notes: { $some: { line: met } } } })).toEqual(shown)
    })

    // MySQL's own functions make an empty text of such JSON.
    const served = name === 'mysql' ? [null, null] : [[long('Secret')], [long('open')]]
    it(`are ${name === 'mysql' ? 'null' : 'served'} within JSON`, async () => {
      expect((await listed('notes?fields=data&sort=id')).map(({ data }) => data)).toEqual(served)
    })
  },
)
