import { eachDatabase } from '../support/databases'
import { collection, text } from '../support/library'
import { stocked } from '../support/served'
import type { ContentRouterConfig } from '../../lib'

const types = [
  collection('note', { title: text, body: { type: 'text' } }),
] as unknown as ContentRouterConfig['contentTypes']

const rows = 20_000
const words = 'the quick brown fox jumps over the lazy dog '.repeat(20)

const query = { maxCost: Infinity }
const permissions = { public: { find: '*' }, hasty: { find: '*' } } as const

const nowhere = [...Array(90).keys()].map((number) => `nowhere${String(number)}`)

/** Every row has to be looked at, hundreds of times. */
const long = ['title', 'body']
  .flatMap((name) => nowhere.map((word) => ({ name, word })))
  .map(({ name, word }, at) => `filters[$or][${String(at % 90)}][${name}][$containsi]=${word}`)
  .join('&')

eachDatabase((database) => {
  const { world, serve } = stocked(database, types, { note: [{ title: 'first', body: 'first' }] })

  beforeAll(async () => {
    const notes = [...Array(rows).keys()].map((number) => ({
      document_id: `note${String(number)}`,
      title: `title ${String(number)}`,
      body: words,
      published_at: null,
    }))
    await world.knex.transaction(async (trx) => {
      for (let at = 0; at < rows; at += 500) await trx('notes').insert(notes.slice(at, at + 500))
    })
  }, 60_000)

  it('gives up an answer whose time is up, whatever its statement is doing', async () => {
    const { get } = serve({ query, limitsByRole: { hasty: { timeout: 50 } }, permissions })
    const answer = await get(`notes?${long}`, 'hasty')
    expect([answer.status, answer.body]).toEqual([
      503,
      {
        data: null,
        error: {
          status: 503,
          name: 'ServiceUnavailableError',
          message: 'The answer took too long',
          details: {},
        },
      },
    ])
    expect((await get('notes?filters[title]=first')).status).toBe(200)
  })

  it('answers the same in time', async () => {
    const { get } = serve({ query, timeout: 60_000 })
    const answer = await get(`notes?${long}&filters[$or][90][title][$eqi]=FIRST`)
    expect([answer.status, answer.body]).toMatchObject([200, { data: [{ title: 'first' }] }])
  })
})
