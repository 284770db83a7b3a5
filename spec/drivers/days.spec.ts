import { knex as makeKnex } from 'knex'
import type { Definition } from '../../lib/schema'
import { eachDatabase } from '../support/databases'
import { collection, relation } from '../support/library'
import { stocked } from '../support/served'

const types = [
  collection('event', {
    day: { type: 'date' },
    at: { type: 'datetime' },
    next: relation('manyToOne', 'event'),
  }),
] as unknown as Definition[]

const days = ['0001-01-01', '2023-12-31', '2024-02-29', '2024-04-30', '9999-12-31']
const noDays = ['0000-00-00', '2024-00-00', '2024-01-00', '2023-02-29', '2024-04-31']

eachDatabase((database) => {
  const content = { event: days.map((day, at) => ({ $ref: `e${String(at)}`, day, next: `e${String(at)}` })) }

  describe('a date', () => {
    const { serve } = stocked(database, types, content)

    it('is shown as the day that it is', async () => {
      const { values } = serve()
      expect(await values('events?sort=id', 'day')).toEqual(days)
    })
  })

  if (database.dialect !== 'mysql') return

  describe('a date that is no day, as a lax server takes it', () => {
    const { serve, world } = stocked(database, types, content)

    it('is null, as its instants are, whichever way its row is read', async () => {
      const lax = makeKnex({ ...world.config, pool: { min: 0, max: 1 } })
      await lax.raw("set session sql_mode = 'ALLOW_INVALID_DATES'")
      for (const [at, day] of noDays.entries())
        await lax('events').where({ day: days[at] }).update({ day, at: day })
      expect(await lax('events').where({ day: '2024-00-00' })).toHaveLength(1)
      await lax.destroy()
      const { list, values } = serve({ nestedPagination: true })
      const nulls = noDays.map(() => null)
      expect(await values('events', 'day')).toEqual(nulls)
      expect(await values('events?sort=next.id', 'day')).toEqual(nulls)
      expect(await values('events', 'at')).toEqual(nulls)
      const next = (await list('events?populate[next][fields]=day,at')).map((event) => event['next'])
      expect(next).toMatchObject(nulls.map((day) => ({ day, at: day })))
    })
  })
})
