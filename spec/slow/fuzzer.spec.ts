import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { campaign, type Finding, type Outcome } from '../../lab/fuzz/campaign'
import type { Asked } from '../../lab/fuzz/grammar'
import type { Answered, Target } from '../../lab/fuzz/serve'

const fine: Answered = { status: 200, text: '{"data":[]}' }

/** Answers as it should, but for one request in a hundred. */
function faulty(answer: (asked: Asked) => Promise<Answered> | Answered): Target {
  const isChosen = ({ path }: Asked): boolean => path.length % 100 === 7
  const ask: Target['ask'] = async (asked) => {
    await Promise.resolve()
    return isChosen(asked) ? answer(asked) : fine
  }
  return {
    ask,
    askAlone: ask,
    lists: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  }
}

const find = async (target: Target): Promise<readonly Finding[]> => {
  const { findings } = await campaign({ requests: 640, seed: 3, target, mostFindings: 1, minimizing: 1 })
  return findings
}

/** What a script of spec/support prints, in a process of its own. */
async function elsewhere<Told>(script: string): Promise<Told> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, '../support', script)])
  return JSON.parse(stdout) as Told
}

/** Of the processor's time: a machine that is busy with others lets it take longer. */
function work(milliseconds: number): void {
  const start = process.cpuUsage()
  while (process.cpuUsage(start).user < milliseconds * 1000) JSON.stringify(start)
}

const polluted = Object.prototype as unknown as Record<string, unknown>
const original = Object.getOwnPropertyDescriptor(Array.prototype, 'copyWithin') ?? {}

describe('the fuzzer', () => {
  it('finds nothing in right responses', async () => {
    expect(await find(faulty(() => fine))).toEqual([])
    expect(await find(faulty(() => ({ status: 431, text: '' })))).toEqual([])
  })

  it.each<readonly [fault: string, answer: Answered]>([
    ['status 500', { status: 500, text: '{}' }],
    ['status 503', { status: 503, text: '{"error":{}}' }],
    ['no JSON in the body of a 200', { status: 200, text: '{"data":[' }],
    ['no JSON in the body of a 404', { status: 404, text: '<html>' }],
    ['a 400 without details.path', { status: 400, text: '{"error":{"details":{}}}' }],
    ['tells a secret', { status: 200, text: '{"data":[{"word":"$2a$10$abc"}]}' }],
    ['tells a secret', { status: 200, text: '{"data":[{"note":"internal 3"}]}' }],
  ])('finds a response with %s', async (fault, answer) => {
    expect(await find(faulty(() => answer))).toMatchObject([{ fault }])
  })

  it('finds a request without a response', async () => {
    const found = await find(faulty(() => Promise.reject(new Error('hung up'))))
    expect(found).toMatchObject([{ fault: 'no answer: Error: hung up' }])
  })

  it('finds a response that differs from its twin', async () => {
    const found = await find(faulty(() => ({ ...fine, difference: 'another answer behind a proxy' })))
    expect(found).toMatchObject([{ fault: 'another answer behind a proxy' }])
  })

  it('finds a memory leak', async () => {
    const { keeping, lettingGo } =
      await elsewhere<Record<'keeping' | 'lettingGo', Outcome>>('fuzz-keeping.cjs')
    expect(keeping.kept).toBeGreaterThan(((640 - 256) * 50_000 * 9) / 10)
    expect(keeping.findings).toMatchObject([
      { fault: `kept ${String(keeping.kept)} bytes, 10000000 are allowed` },
    ])
    expect(lettingGo).toMatchObject({ asked: 640, findings: [] })
  }, 60_000)

  it('finds a blocked event loop', async () => {
    const holding = faulty(() => {
      work(300)
      return fine
    })
    expect(await find(holding)).toMatchObject([{ fault: 'held the event loop' }])
  }, 60_000)

  it.each([
    ['changed Object.prototype', () => (polluted['added'] = 1), () => delete polluted['added']],
    [
      'changed Array.prototype',
      () => {
        Object.defineProperty(Array.prototype, 'copyWithin', { ...original, value: () => [] })
      },
      () => {
        Object.defineProperty(Array.prototype, 'copyWithin', original)
      },
    ],
    [
      'changed globalThis',
      () => Object.assign(globalThis, { added: 1 }),
      () => Reflect.deleteProperty(globalThis, 'added'),
    ],
  ])('finds a request that %s', async (fault, change, undo) => {
    const changing = faulty(() => {
      change()
      return fine
    })
    const [found] = await find(changing)
    undo()
    expect(found?.fault).toBe(fault)
  })

  it('finds an unhandled rejection, even without a single request that causes it', async () => {
    // In a process without the test runner, which handles what nobody handles.
    const found = await elsewhere<readonly Finding[]>('fuzz-elsewhere.cjs')
    expect(found).toMatchObject([{ fault: 'uncaught Error: unhandled' }])
  })
})
