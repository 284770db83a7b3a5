import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import {
  contentRouter,
  type ContentRouterConfig,
  type Extension,
  type ObservedEvent,
  type RequestObserver,
} from '../../lib'
import { onSqlite } from '../support/databases'
import { keeping } from '../support/hearing'
import { library } from '../support/library'
import { stocked } from '../support/served'
import { watching } from '../support/watching'

const stepOf = (event: ObservedEvent): string => {
  if (event.kind === 'stage') return `stage ${String(event.stage)}`
  return event.kind === 'end' ? `end ${String(event.status)}` : event.kind
}

/** An extension with one observer for all requests. */
const observedBy = (name: string, observer: RequestObserver): Extension => ({
  name,
  observe: { addsMeta: observer.addMeta !== undefined, follow: () => () => observer },
})

const read = ['stage wait', 'stage load', 'statement', 'stage write', 'stage null']

onSqlite((database) => {
  const { world, serve } = stocked(database, library, { book: [{ title: 'Dawn' }] })
  const permissions = { public: { find: ['book'] } } as const

  /** The events of a request, until its end. */
  async function stepsOf(path: string, options: Partial<ContentRouterConfig> = {}): Promise<string[]> {
    const steps: string[] = []
    const { get } = serve({
      ...{ permissions, ...options },
      extensions: [watching((event) => steps.push(stepOf(event)))],
    })
    await get(path)
    while (steps.at(-1)?.startsWith('end') !== true) await setImmediate()
    return steps
  }

  describe('an observer', () => {
    it('receives the events of a request in order', async () => {
      expect(await stepsOf('books?filters[title]=Dawn')).toEqual([
        ...['caller', 'stage plan', 'stage plan', 'plan', ...read, 'stage null', 'headers', 'end 200'],
      ])
    })

    it.each([
      ['authors', {}, ['caller', 'end 403']],
      ['books', { role: () => null }, ['end 401']],
      ['books?sort=nope', {}, ['caller', 'stage plan', 'stage plan', 'stage null', 'headers', 'end 400']],
    ])('receives the end of a rejected request: %s', async (path, options, steps) => {
      expect(await stepsOf(path, options)).toEqual(steps)
    })

    it('receives a cache hit', async () => {
      const steps: string[] = []
      const extensions = [watching((event) => steps.push(stepOf(event)))]
      const { get } = serve({ permissions, cache: { freshness: 60_000 }, extensions })
      await get('books')
      while (!steps.includes('end 200')) await setImmediate()
      expect(steps).toContain('statement')
      steps.length = 0
      await get('books')
      expect(steps).toContain('cacheHit')
      expect(steps).not.toContain('statement')
    })

    it('receives reads in the process', async () => {
      const steps: string[] = []
      const router = world.closing(
        contentRouter({
          ...{ contentTypes: library, database: world.config, logger: false, permissions },
          extensions: [watching((event) => steps.push(stepOf(event)))],
        }),
      )
      await router.as('public').find('books', { filters: { title: 'Dawn' } })
      expect(steps).toEqual([
        ...['caller', 'stage plan', 'stage plan', 'plan', ...read, 'stage null', 'end 200'],
      ])
    })

    it('does not change the response if it throws, and is logged once', async () => {
      const { errors, logger } = keeping()
      const fails = observedBy('fails', {
        on: () => {
          throw new Error('canary')
        },
      })
      const seen: string[] = []
      const others = watching((event) => seen.push(event.kind))
      const served = serve({ permissions, logger, extensions: [fails, others] })
      const plain = await serve({ permissions }).get('books')
      for (let times = 0; times < 2; times += 1) expect((await served.get('books')).text).toBe(plain.text)
      expect(seen).toContain('statement')
      expect(errors).toMatchObject([
        {
          message: 'an extension failed to observe a request, but the response is not affected',
          facts: { times: 1 },
        },
      ])
      expect(JSON.stringify(errors)).not.toContain('canary')
    })

    it('runs the request within its context', async () => {
      const [outer, inner] = [new AsyncLocalStorage<string>(), new AsyncLocalStorage<string>()]
      const contexts: unknown[] = []
      const within = (storage: AsyncLocalStorage<string>, name: string): Extension =>
        observedBy(name, {
          on: () => undefined,
          within: (proceed) => {
            contexts.push(`${name} in ${String(outer.getStore())}`)
            storage.run(name, proceed)
          },
        })
      const { get } = serve({
        permissions,
        role: () => {
          contexts.push(outer.getStore(), inner.getStore())
          return 'public'
        },
        extensions: [within(outer, 'outer'), within(inner, 'inner')],
      })
      expect((await get('books')).status).toBe(200)
      expect(contexts).toEqual(['outer in undefined', 'inner in outer', 'outer', 'inner'])
    })
  })

  describe('members of `meta` that extensions add', () => {
    const adding = (name: string, addMeta: NonNullable<RequestObserver['addMeta']>): Extension =>
      observedBy(name, { on: () => undefined, addMeta })

    it('follow those of the core, of all extensions that add some', async () => {
      const { page } = serve({
        permissions,
        extensions: [
          adding('one', () => Promise.resolve(() => ({ one: 1 }))),
          adding('none', () => Promise.resolve(null)),
          adding('two', () => Promise.resolve(() => ({ two: [2] }))),
        ],
      })
      const { meta, data } = await page('books')
      expect(Object.entries(meta).slice(1)).toEqual([
        ['one', 1],
        ['two', [2]],
      ])
      expect((await page(`books/${String(data[0]?.['documentId'])}`)).meta).toEqual({ one: 1, two: [2] })
    })

    it('keep a response from all caches, and from those that may not read the type', async () => {
      const asked: string[] = []
      const { get } = serve({
        ...{ permissions, cache: {}, headers: { '*': { cacheControl: 'max-age=60', shared: true } } },
        extensions: [
          adding('seen', (req) => {
            asked.push(req.url)
            return Promise.resolve(() => ({ seen: asked.length }))
          }),
        ],
      })
      for (const seen of [1, 2]) {
        const { text, headers } = await get('books')
        expect(JSON.parse(text)).toMatchObject({ meta: { seen } })
        expect(headers).toMatchObject({ 'cache-control': 'private, no-store' })
        expect(headers).not.toHaveProperty('etag')
      }
      expect((await get('authors')).status).toBe(403)
      expect(asked).toHaveLength(2)
    })

    it('are a 500 with an id if the extension fails', async () => {
      const { errors, logger } = keeping()
      const fails = adding('fails', () => Promise.reject(new Error('canary')))
      const { status, text } = await serve({ permissions, logger, extensions: [fails] }).get('books')
      expect(status).toBe(500)
      expect(text + JSON.stringify(errors)).not.toContain('canary')
      const { error } = JSON.parse(text) as { error: { details: { id: string } } }
      expect(errors).toMatchObject([{ facts: { id: error.details.id } }])
    })
  })

  it('without observers, a route has no handler for them', () => {
    const layersOf = (extensions: readonly Extension[]): number => {
      const router = world.closing(
        contentRouter({ contentTypes: library, database: world.config, logger: false, extensions }),
      )
      const [first] = router.stack.flatMap(({ route }) => (route?.path === '/books' ? [route.stack] : []))
      return first?.filter(({ method }) => method === 'get').length ?? NaN
    }
    const plain = layersOf([])
    expect(layersOf([watching(() => undefined)])).toBe(plain + 1)
    expect(layersOf([watching(() => undefined, {})])).toBe(plain + 2)
  })
})
