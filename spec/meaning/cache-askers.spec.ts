import { migrate, type RoleFunction, seed } from '../../lib'
import type { Answer } from '../support/asker'
import { type Cached, serveCached } from '../support/cached'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { orderTypes } from '../support/orders'
import { onOwnServer } from '../support/own-server'
import { roleHeader } from '../support/served'

const askers = 400
const atOnce = 100
const path = 'customers?fields=name'

const permissions = {
  one: { find: { customer: { where: { id: { $asker: 'id' } } } } },
  owner: { find: { item: { where: { owner: { $asker: 'owner' } } } } },
  /** Compares with two values, which one may have and another has the other way round. */
  but: {
    find: {
      item: { where: { $and: [{ owner: { $asker: 'owner' } }, { title: { $ne: { $asker: 'other' } } }] } },
    },
  },
}

/** `one@17`, `owner@north`, `but@north but west`. */
const role: RoleFunction = (req) => {
  const [name = '', who = ''] = (req.get(roleHeader) ?? '').split('@')
  const [owner = '', other] = who.split(' but ')
  return { roles: name, asker: name === 'one' ? { id: who } : { owner, other } }
}

const upTo = (count: number): number[] => [...Array(count).keys()]
const dataIn = ({ body }: Answer): unknown => (JSON.parse(body) as { readonly data: unknown }).data
const totalIn = ({ body }: Answer): unknown =>
  (JSON.parse(body) as { readonly meta: { readonly pagination: { readonly total: number } } }).meta.pagination
    .total

onSqlite((database) => {
  const world = onOwnServer(database, () => database.fresh())
  const on = { world, dialect: database.dialect }

  beforeAll(async () => {
    const config = { contentTypes: orderTypes, database: world.config }
    await migrate(config)
    await seed(config, {
      customer: upTo(askers).map((number) => ({ name: `Customer ${String(number + 1)}` })),
    })
    const items = (owner: string, count: number): object[] =>
      upTo(count).map((number) => ({ document_id: `${owner}${String(number)}`, title: owner, owner }))
    await world.knex.batchInsert('items', [...items('north', 3500), ...items('south', 4200)], 400)
  }, 60_000)

  describe.each([
    ['with a cache', { cache: {} }],
    ['without one', { cache: false, etag: true }],
  ] as const)('hundreds who ask %s', (_, options) => {
    const { sql, logger } = keeping()
    let served: Cached

    beforeAll(async () => {
      served = await serveCached(on, { contentTypes: orderTypes, permissions, role, logger, ...options })
    })

    /** Of all of them, in no order, many at once. */
    async function askAll(
      tagFor: (number: number) => string | undefined = () => undefined,
    ): Promise<Answer[]> {
      const answers: Answer[] = []
      for (let from = 0; from < askers; from += atOnce) {
        const some = upTo(atOnce).map((one) => from + one)
        const asked = some.map((number) => {
          const tag = tagFor(number)
          return served.get(
            path,
            `one@${String(number + 1)}`,
            tag === undefined ? {} : { 'If-None-Match': tag },
          )
        })
        answers.push(...(await Promise.all(asked)))
      }
      return answers
    }

    const isOwn = (answer: Answer, number: number): void => {
      expect(answer.status).toBe(200)
      expect(dataIn(answer)).toMatchObject([{ id: number + 1, name: `Customer ${String(number + 1)}` }])
    }

    it('are each answered with what is theirs, also from memory, and never with the tag of another', async () => {
      const tags: (string | undefined)[] = []
      for (let round = 0; round < 2; round += 1) {
        for (const [number, answer] of (await askAll()).entries()) {
          isOwn(answer, number)
          tags[number] ??= answer.headers.etag
          if (answer.headers.etag !== undefined) expect(answer.headers['cache-control']).toMatch(/^private/)
        }
      }
      const told = tags.filter((tag) => tag !== undefined)
      expect(told.length).toBeGreaterThan(0)
      expect(new Set(told).size).toBe(told.length)
      for (const [number, answer] of (await askAll((number) => tags[(number + 1) % askers])).entries())
        isOwn(answer, number)
    }, 60_000)

    it('are asked for in one and the same statement', async () => {
      sql.length = 0
      await served.get(`${path}&sort=name`, 'one@1')
      await served.get(`${path}&sort=name`, 'one@2')
      expect(sql.length).toBeGreaterThan(1)
      expect(new Set(sql).size).toBe(sql.length / 2)
    })

    it('are told totals of what is theirs, however long these are remembered', async () => {
      for (let round = 0; round < 20; round += 1) {
        expect(
          totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@north')),
        ).toBe(3500)
        expect(
          totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@south')),
        ).toBe(4200)
        expect(
          totalIn(await served.get(`items?pagination[pageSize]=${String(1 + round)}`, 'owner@west')),
        ).toBe(0)
      }
    }, 60_000)

    it('are not taken for who has the same values by other names', async () => {
      for (let round = 0; round < 3; round += 1) {
        const asked = ['but@north but west', 'but@west but north']
        const [north, west] = await Promise.all(asked.map((who) => served.get('items', who)))
        expect([north, west].map((answer) => answer && totalIn(answer))).toEqual([3500, 0])
        expect(north?.headers.etag).not.toBe(west?.headers.etag ?? 'none')
      }
    })

    it('get no answer that a shared cache may keep, even as the public', async () => {
      // Who lacks the value is shown nothing, which is not to be told to who has it.
      for (const asker of [{ owner: 'north' }, {}])
        for (const shared of [{}, { customer: { shared: true } }, { item: { shared: true } }]) {
          const strangers = await serveCached(on, {
            ...{ contentTypes: orderTypes, role: () => ({ roles: 'public', asker }), ...options },
            permissions: { public: { find: { ...permissions.owner.find, customer: true } } },
            headers: { '*': { cacheControl: 'max-age=60' }, ...shared },
          })
          // That the values are the same for all is for the host to say, of the type that has the rule.
          const reach = 'item' in shared ? 'public' : 'private'
          for (const what of ['items', 'customers']) {
            const { headers } = await strangers.get(what)
            expect(headers['cache-control']).toBe(`${reach}, max-age=60`)
          }
        }
    })
  })
})
