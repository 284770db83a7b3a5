import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { library } from '../support/library'
import { mostLevels, notations } from '../support/deep-queries'
import { keeping } from '../support/hearing'
import { stocked } from '../support/served'
import { eachDatabase } from '../support/databases'
import { anyConditions } from '../support/query-limits'
import { observe } from '../../extensions/observe'

const query = anyConditions
const refusal = `A query can have at most ${String(mostLevels)} levels`

/** Counts these names on the way down. */
function depthOf(entry: unknown, names: readonly string[]): number {
  let depth = 0
  for (let place = entry; ;) {
    const here = Array.isArray(place) ? (place as readonly unknown[])[0] : place
    if (typeof here !== 'object' || here === null) return depth
    const name = names.find((one) => one in here)
    if (name === undefined) return depth
    place = (here as Readonly<Record<string, unknown>>)[name]
    depth += 1
  }
}

eachDatabase((database) => {
  const { serve } = stocked(database, library, {
    genre: [
      { $ref: 'crime', name: 'Crime', parent: 'prose', books: ['dawn'] },
      { $ref: 'prose', name: 'Prose' },
    ],
    book: [
      {
        $ref: 'dawn',
        title: 'Dawn',
        sequel: 'dawn',
        sections: [{ __component: 'page.pick', books: ['dawn'] }],
      },
    ],
  })
  let plain: ReturnType<typeof serve> | undefined
  const api = (): ReturnType<typeof serve> => (plain ??= serve({ query }))

  describe.each(notations)('$name', ({ path, isRefused }) => {
    it('may have as many levels as the limit', async () => {
      const { status, text } = await api().get(path(mostLevels))
      if (isRefused) expect(text).not.toContain(refusal)
      else expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining('"data":[')])
    })

    it.each([1, 250, 500])('is refused %i levels below the limit', async (more) => {
      const { message, path: place } = await api().refusal(path(mostLevels + more))
      expect(message).toBe(refusal)
      expect(place.split('.').length).toBeLessThan(3)
    })
  })

  it('the deepest query returns every level', async () => {
    const [genre] = await api().list(`genres?populate=${names(mostLevels, ['parent', 'children']).join('.')}`)
    expect(depthOf(genre, ['parent', 'children'])).toBe(mostLevels)
  })

  it('every notation of the deepest query has the same response', async () => {
    const same = notations.filter(({ says }) => says === 'parents and children')
    const texts = await Promise.all(same.map(async ({ path }) => (await api().get(path(mostLevels))).text))
    expect(new Set(texts).size).toBe(1)
    expect(texts.length).toBeGreaterThan(4)
  })

  it('the deepest query is explained, logged and timed in full', async () => {
    const heard: string[] = []
    const { errors, logger } = keeping()
    const { get } = serve({
      query,
      logger,
      extensions: [
        observe({
          ...{ explain: () => true, serverTiming: true },
          onRequest: ({ shape }) => heard.push(shape?.text ?? 'none'),
        }),
      ],
    })
    for (const { path, isRefused } of notations) {
      if (isRefused) continue
      const { status, text } = await get(path(mostLevels))
      expect([status, text.includes('"explain"')]).toEqual([200, true])
    }
    expect(heard).toHaveLength(notations.filter(({ isRefused }) => !isRefused).length)
    expect(heard).not.toContain('none')
    expect(errors).toEqual([])
  })

  it('explain lists the hidden relations of the deepest query, and a deeper one is refused', async () => {
    const { page, refusal: refused } = serve({
      query,
      permissions: { public: { find: ['book'] } },
      extensions: [observe({ explain: () => true })],
    })
    const below = names(mostLevels - 1, ['parent', 'children']).join('.')
    const { meta } = await page(`books?populate=genres.${below}`)
    const { removed } = (meta as unknown as { explain: { removed: readonly { path: string }[] } }).explain
    expect(removed).toHaveLength(mostLevels)
    expect(removed.at(-1)?.path).toBe(`genres.${below}`)
    expect(await refused(`books?populate=genres.${below}.nope`)).toEqual({
      message: refusal,
      path: 'populate',
    })
  })
})

function names(count: number, among: readonly string[]): readonly string[] {
  return Array.from({ length: count }, (_, index) => among[index % among.length] ?? '')
}

const folder = join(__dirname, '..', '..')

async function outcomes(way: string, ...options: readonly string[]): Promise<unknown> {
  const program = ['--require', './lab/bench/typescript.cjs', 'spec/support/small-stack/serve.ts', way]
  const { stdout } = await promisify(execFile)(process.execPath, [...options, ...program], { cwd: folder })
  return JSON.parse(stdout)
}

/** Kilobytes: half of the default on most machines. */
const half = 492

describe('the deepest query in a small stack', () => {
  const served = Object.fromEntries(
    notations.map(({ name, isRefused }) => [name, isRefused === true ? 400 : 200]),
  )

  it('is served with half of the default stack', async () => {
    expect(await outcomes('plain', `--stack-size=${String(half)}`)).toEqual(served)
  }, 60_000)

  it('is served in a worker thread with a quarter of its default stack', async () => {
    expect(await outcomes('worker')).toEqual(served)
  }, 60_000)

  it('is served if the host application has used most of the stack', async () => {
    expect(await outcomes('deep')).toEqual(served)
  }, 60_000)
})
