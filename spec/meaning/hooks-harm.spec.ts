import { contentRouter, type ContentRouterConfig, type RequestTrace, type Tracing } from '../../lib'
import { onSqlite } from '../support/databases'
import { hearing, keeping } from '../support/hearing'
import { library } from '../support/library'
import { type Served, stocked } from '../support/served'

const fail = (): never => {
  throw new TypeError('the hook is broken')
}
const failLater = (): Promise<never> => Promise.reject(new TypeError('the hook is broken'))
const deaf: RequestTrace = { onRequest: () => undefined, onStatement: () => undefined }

onSqlite((database) => {
  const { serve } = stocked(database, library, {
    genre: [{ $ref: 'essay', name: 'Essay' }],
    book: [{ title: 'Dawn', genres: ['essay'] }],
  })
  const path = 'books?populate=genres'

  describe('a hook that fails', () => {
    it.each([
      ['onRequest', fail],
      ['onRequest', failLater],
      ['onStatement', fail],
      ['onStatement', failLater],
    ])('harms no answer and is complained of once: %s %p', async (name, hook) => {
      const { errors, logger } = keeping()
      const heard = hearing()
      const plain = await serve().get(path)
      const told = name === 'onStatement' ? { ...heard.hooks, onStatement: hook } : { onRequest: hook }
      const served = serve({ logger, ...told })
      for (let count = 0; count < 3; count += 1) {
        const answer = await served.get(path)
        expect([answer.status, answer.text]).toEqual([200, plain.text])
      }
      await complained(errors)
      expect(errors).toEqual([
        {
          facts: { hook: name, times: 1, problem: 'TypeError: the hook is broken' },
          message: 'a hook failed; no answer was harmed',
        },
      ])
    })

    it('does not keep the other from being told', async () => {
      const heard = hearing()
      const served = serve({ ...heard.hooks, onStatement: fail })
      expect(await heard.ask(served, path)).toMatchObject({ outcome: 'answered', statements: 2 })
    })

    it.each<[string, Tracing]>([
      ['fails before it goes on', { begin: fail }],
      [
        'fails after it went on',
        {
          begin: (_start, proceed) => {
            proceed()
            return fail()
          },
        },
      ],
      ['never goes on', { begin: () => deaf }],
      [
        'goes on twice',
        {
          begin: (_start, proceed) => {
            proceed()
            proceed()
            return deaf
          },
        },
      ],
      [
        'begins a trace that fails',
        { begin: (_start, proceed) => (proceed(), { onRequest: fail, onStatement: fail }) },
      ],
    ])('is no tracing either that %s', async (_name, tracing) => {
      const heard = hearing()
      const { logger } = keeping()
      const served = serve({ tracing, logger, ...heard.hooks })
      expect(await heard.ask(served, path)).toMatchObject({ outcome: 'answered', status: 200, statements: 2 })
      expect(await served.list(path)).toMatchObject([{ genres: [{ name: 'Essay' }] }])
    })
  })

  describe('a hook', () => {
    it('cannot change what others are told', async () => {
      const heard = hearing()
      let kept: string | undefined
      const served = serve({
        ...heard.hooks,
        tracing: {
          begin: (_start, proceed) => {
            proceed()
            return {
              onRequest: ({ shape }) => {
                kept = shape?.text
                ;(shape?.populate as unknown[]).pop()
              },
              onStatement: () => undefined,
            }
          },
        },
      })
      for (let count = 0; count < 2; count += 1) {
        const { shape } = await heard.ask(served, path)
        expect(shape?.populate).toHaveLength(1)
      }
      expect(kept).toBe('api::book.book?populate=genres')
    })
  })

  describe('without hooks', () => {
    it('the clock is read once for an answer, to know when its time is up', async () => {
      const served: Served = serve({})
      await served.list(path)
      const read: string[] = []
      const now = jest.spyOn(performance, 'now').mockImplementation(() => {
        read.push(new Error('now').stack ?? '')
        return 0
      })
      await served.list(path)
      now.mockRestore()
      const callers = read.map((stack) => /\/lib\/(\w+\/[\w-]+)/.exec(stack)?.[1] ?? '')
      expect(callers.filter((caller) => /^(http|load)\//.test(caller))).toEqual(['load/stop'])
    })
  })

  /** Rejections are complained of a turn later than answers are sent. */
  async function complained(errors: readonly unknown[]): Promise<void> {
    for (let turn = 0; turn < 1000 && errors.length === 0; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
})

describe('hooks', () => {
  it.each([
    [{ onRequest: 5 }, 'onRequest: is no function'],
    [{ onStatement: {} }, 'onStatement: is no function'],
    [{ tracing: () => undefined }, 'tracing: has no begin (use openTelemetry())'],
    [{ serverTiming: 'yes' }, 'serverTiming: is neither true, false nor a function'],
  ])('are refused at start where they are none: %j', (options, fault) => {
    const config = { contentTypes: library, database: { client: 'pg' }, ...options } as ContentRouterConfig
    expect(() => contentRouter(config)).toThrow(fault)
  })
})
