import { contentRouter, type ContentRouterConfig } from '../../lib'
import { describeOn, testDatabase } from '../support/databases'
import { collection } from '../support/library'
import { saying } from '../support/saying'
import { type Served, stocked } from '../support/served'

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

describeOn(['postgres'])('a role or a database of %s that has settings of its own', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, { measure: [entry] })

  it.each(['Postgres, DMY', 'German, DMY', 'SQL, MDY'])(
    'shows in no answer: dates as %s has them, and few digits',
    async (style) => {
      const afterCreate = saying(`set datestyle = '${style}'; set extra_float_digits = -10`)
      const { list } = serve({ database: { ...world.config, pool: { afterCreate } } })
      expect(await list('measures')).toMatchObject([entry])
      const filters = `filters[day]=${entry.day}&filters[at]=${entry.at}&filters[share]=${String(entry.share)}`
      expect(await list(`measures?${filters}`)).toHaveLength(1)
    },
  )
})

/** Others commit to the same server, and what is committed while it is read costs an answer its tag. */
async function tagged({ get }: Served): ReturnType<Served['get']> {
  for (let asked = 0; asked < 1000; asked += 1) {
    const answer = await get('measures')
    if ('etag' in answer.headers) return answer
  }
  throw new Error('no answer has a tag')
}

describeOn(['postgres'])('two schemas of one database of %s', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, { measure: [entry] })

  it('have answers and tags of their own, whether the connection or the role looks through one', async () => {
    await world.knex.raw('create schema other')
    await world.knex.raw('create table other.measures (like measures including all)')
    const cache = {}
    const first = serve({ cache })
    const byOption = serve({ cache, database: { ...world.config, searchPath: ['other'] } })
    const afterCreate = saying('set search_path = other')
    const bySession = serve({ cache, database: { ...world.config, pool: { afterCreate } } })
    const answers = await Promise.all([first, byOption, bySession].map(tagged))
    expect(answers.map(({ body }) => (body as { data: unknown[] }).data.length)).toEqual([1, 0, 0])
    const [tag, ...others] = answers.map(
      ({ headers }) => (headers as Readonly<Record<string, string>>)['etag'],
    )
    expect(tag).toBeDefined()
    expect(others).not.toContain(tag)
  })

  it('are told apart where a connection looks through both: the first one that has a table has it', async () => {
    await world.knex.raw('create schema foreigners')
    await world.knex.raw('create table foreigners.measures (id bigint, day text)')
    await world.knex.raw("create role reader_of_measures login password 'reads'")
    await world.knex.raw('grant usage on schema foreigners to reader_of_measures')
    await world.knex.raw('grant usage on schema public to reader_of_measures')
    await world.knex.raw('grant select on all tables in schema public to reader_of_measures')
    const ready = async (searchPath: readonly string[], user = {}): Promise<unknown> => {
      const connection = { ...(world.config.connection as object), ...user }
      const router = world.closing(
        contentRouter({
          contentTypes: types,
          permissions: { public: { find: '*' } },
          database: { ...world.config, connection, searchPath },
          logger: false,
        }),
      )
      return router.ready().then(
        () => 'fits',
        (error: unknown) => String(error),
      )
    }
    expect(await ready(['public', 'foreigners'])).toBe('fits')
    expect(await ready(['foreigners', 'public'])).toContain('measures')
    expect(await ready(['public', 'foreigners'], { user: 'reader_of_measures', password: 'reads' })).toBe(
      'fits',
    )
  })
})

describeOn(['mysql', 'mariadb'])('a session of %s that commits nothing by itself', (name) => {
  const { world, serve } = stocked(testDatabase(name), types, { measure: [entry] })

  it('shows what was committed meanwhile, and holds up nobody who alters a table', async () => {
    const afterCreate = saying('set autocommit = 0')
    const { values } = serve({ database: { ...world.config, pool: { min: 1, max: 1, afterCreate } } })
    for (const share of [0.5, 0.25, 0.125]) {
      await world.knex('measures').update({ share })
      expect(await values('measures', 'share')).toEqual([share])
    }
    await world.knex.raw('set session lock_wait_timeout = 2')
    await world.knex.raw('alter table measures add column later int')
  })
})
