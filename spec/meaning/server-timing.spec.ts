import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { stocked } from '../support/served'

const stages =
  /^authorize;dur=\d+\.\d, plan;dur=\d+\.\d, wait;dur=\d+\.\d, load;dur=\d+\.\d, write;dur=\d+\.\d$/

onSqlite((database) => {
  const { serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })

  describe('Server-Timing', () => {
    it.each(['books?filters[title]=Dawn', 'books/none', 'books?filters[nowhere]=1'])(
      'says how long each stage took: %s',
      async (path) => {
        const { headers } = await serve({ serverTiming: true }).get(path)
        expect(headers['server-timing']).toMatch(stages)
      },
    )

    it('tells the work of the stages apart', async () => {
      const { headers } = await serve({ serverTiming: true }).get('books/none?populate=nothing')
      expect(headers['server-timing']).toMatch(/wait;dur=0\.0, load;dur=0\.0, write;dur=0\.0$/)
    })

    it('is sent to whom the function says', async () => {
      const { get } = serve({ serverTiming: (req) => req.query['timed'] !== undefined })
      expect((await get('books?timed=1')).headers['server-timing']).toMatch(stages)
      expect((await get('books')).headers).not.toHaveProperty('server-timing')
    })

    it.each([
      ['off', {}],
      ['false', { serverTiming: false }],
      ['a promise', { serverTiming: (() => Promise.resolve(true)) as unknown as () => boolean }],
    ])('is not sent where it is %s', async (_name, options) => {
      expect((await serve(options).get('books')).headers).not.toHaveProperty('server-timing')
    })

    it('is left out where the function fails, which harms no answer', async () => {
      const { errors, logger } = keeping()
      const answer = await serve({
        logger,
        serverTiming: () => {
          throw new Error('broken')
        },
      }).get('books')
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('server-timing')
      expect(errors).toMatchObject([{ facts: { hook: 'serverTiming', problem: 'Error: broken' } }])
    })
  })
})
