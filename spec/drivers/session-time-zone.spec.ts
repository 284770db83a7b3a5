import type { ContentRouterConfig } from '../../lib'
import { eachDatabase, type TestDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { saying } from '../support/saying'
import { stocked } from '../support/served'

const types = [
  collection('specimen', {
    name: text,
    day: { type: 'date' },
    hour: { type: 'time' },
    moment: { type: 'datetime' },
    tick: { type: 'timestamp' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

const specimen = {
  day: '2024-02-29',
  hour: '09:30:15.250',
  moment: '2024-03-10T07:15:30.250Z',
  tick: '2020-12-12T08:46:40.187Z',
  createdAt: '2024-03-31T01:30:00.120Z',
  updatedAt: '2024-10-27T00:30:00.007Z',
}

const inAnotherZone: Readonly<Record<TestDatabase['dialect'], string | null>> = {
  sqlite: null,
  mysql: "set time_zone = '-03:30'",
  postgres: "set time zone '-3:30'",
}

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, { specimen: [{ name: 'one', ...specimen }] })

  it('dates and times are the same in a session of another time zone', async () => {
    const statement = inAnotherZone[database.dialect]
    const pool = statement === null ? {} : { pool: { afterCreate: saying(statement) } }
    const { list, values } = serve({ database: { ...world.config, ...pool } })
    expect(await list('specimens')).toMatchObject([specimen])
    for (const [name, value] of Object.entries(specimen))
      expect([name, await values(`specimens?filters[${name}][$eq]=${value}`, 'name')]).toEqual([
        name,
        ['one'],
      ])
  })
})
