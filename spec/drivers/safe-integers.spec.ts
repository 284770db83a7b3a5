import { knex as makeKnex, type Knex } from 'knex'
import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection, integer, relation, text } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('lamp', {
    name: text,
    on: { type: 'boolean' },
    volts: integer,
    turns: { type: 'biginteger' },
    turnedAt: { type: 'datetime' },
    data: { type: 'json' },
    room: relation('manyToOne', 'room', { inversedBy: 'lamps' }),
  }),
  collection('room', { name: text, lamps: relation('oneToMany', 'lamp', { mappedBy: 'room' }) }),
] as unknown as ContentRouterConfig['contentTypes']

const content = {
  room: [{ $ref: 'hall', name: 'Hall' }],
  lamp: [
    {
      name: 'a',
      on: false,
      volts: 12,
      turns: '9007199254740993',
      turnedAt: '2024-05-31T09:30:00.000Z',
      data: 7,
      room: 'hall',
    },
    { name: 'b', on: true, volts: null, turns: '1', turnedAt: null, data: { of: [1] }, room: 'hall' },
  ],
}

interface FileSession {
  defaultSafeIntegers(on: boolean): unknown
}

type Done = (error: unknown, connection: unknown) => void

const afterCreate = (connection: unknown, done: Done): void => {
  ;(connection as FileSession).defaultSafeIntegers(true)
  done(null, connection)
}

describeOn(['sqlite'])('a host whose connections give big integers, on %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, content)

  const asked = [
    'lamps?sort=name&populate=*&filters[name][$containsi]=A',
    'rooms?populate[lamps][sort]=name&populate[lamps][populate]=room',
    'rooms?populate[lamps][count]=true',
    'lamps?filters[room][name]=Hall&filters[on]=false&pagination[pageSize]=1',
  ]
  async function expectTheSame(database: Knex | Knex.Config): Promise<void> {
    const plain = serve()
    const other = serve({ database, etag: true })
    for (const path of asked) {
      const { status, text } = await other.get(path)
      expect([status, text]).toEqual([200, (await plain.get(path)).text])
      expect((await other.get(path)).text).toBe(text)
    }
    expect(await other.values('lamps?sort=name', 'on')).toEqual([false, true])
    expect(await other.values('lamps?sort=name', 'turns')).toEqual(['9007199254740993', '1'])
  }

  it('gets the same answers through the pool of the router', () =>
    expectTheSame({ ...world.config, pool: { afterCreate } }))

  it('gets the same answers through an instance of its own', async () => {
    const knex = makeKnex({ ...world.config, pool: { min: 1, max: 1, afterCreate } })
    world.closing({ close: () => knex.destroy() })
    await expectTheSame(knex)
  })
})
