import type { ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection } from '../support/library'
import { stocked } from '../support/served'

const entry = {
  day: '2024-05-06',
  at: '2024-05-06T07:08:09.120Z',
  told: '2024-05-06T07:08:09.012Z',
  share: 0.1234567890123456,
}

const types = [
  collection('measure', {
    day: { type: 'date' },
    at: { type: 'datetime' },
    told: { type: 'timestamp' },
    share: { type: 'float' },
  }),
] as unknown as ContentRouterConfig['contentTypes']

type Done = (error: unknown, connection: unknown) => void

interface Session {
  query(sql: string, done: (error: unknown) => void): void
}

describeOn(['postgres'])('a role or a database of %s that has settings of its own', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, { measure: [entry] })

  it.each(['Postgres, DMY', 'German, DMY', 'SQL, MDY'])(
    'shows in no answer: dates as %s has them, and few digits',
    async (style) => {
      const afterCreate = (session: Session, done: Done): void => {
        session.query(`set datestyle = '${style}'; set extra_float_digits = -10`, (error) => {
          done(error, session)
        })
      }
      const { list } = serve({ database: { ...world.config, pool: { afterCreate } } })
      expect(await list('measures')).toMatchObject([entry])
      const filters = `filters[day]=${entry.day}&filters[at]=${entry.at}&filters[share]=${String(entry.share)}`
      expect(await list(`measures?${filters}`)).toHaveLength(1)
    },
  )
})
