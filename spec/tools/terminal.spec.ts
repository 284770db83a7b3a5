import { terminalOutput } from '../../tools/command/terminal'
import type { Output } from '../../tools/command/output'
import { inStep } from '../../tools/start'
import { runCommand } from '../../tools/command/run'

interface Streams {
  readonly output: Output
  /** All text of the standard output, then of the standard error. */
  readonly texts: readonly [() => string, () => string]
}

function streams(isTTY: boolean | undefined, env: Readonly<Record<string, string>> = {}): Streams {
  const [out, err]: [string[], string[]] = [[], []]
  const stream = (texts: string[]) => ({ isTTY, write: (text: string) => texts.push(text) })
  return {
    output: terminalOutput(stream(out), stream(err), env),
    texts: [() => out.join(''), () => err.join('')],
  }
}

describe('the colours of the command', () => {
  async function help(isTTY: boolean | undefined, env: Readonly<Record<string, string>>): Promise<boolean> {
    const { output, texts } = streams(isTTY, env)
    expect(await runCommand(['--help'], output)).toBe(0)
    return texts[0]().includes('\u001b[1mUsage:\u001b[22m content-router')
  }

  it.each<[boolean | undefined, Readonly<Record<string, string>>, boolean]>([
    [true, {}, true],
    [true, { NO_COLOR: '' }, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { FORCE_COLOR: '0' }, false],
    [true, { TERM: 'dumb' }, false],
    [undefined, {}, false],
    [undefined, { FORCE_COLOR: '1' }, true],
    [undefined, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [undefined, { FORCE_COLOR: 'false' }, false],
  ])('depend on the terminal (%p) and the environment %j: %p', async (isTTY, env, isColored) => {
    expect(await help(isTTY, env)).toBe(isColored)
  })

  it('mark the first line of an error, and the word of a warning', async () => {
    const { output, texts } = streams(true)
    expect(await runCommand(['migrate', '--fast'], output)).toBe(2)
    const [first, ...others] = texts[1]().split('\n')
    expect(first).toBe('\u001b[31mcontent-router: there is no flag --fast\u001b[39m')
    expect(others.join('\n')).not.toContain('\u001b')
    output.complain('warning: something is odd')
    expect(texts[1]()).toContain('\u001b[33mwarning:\u001b[39m something is odd\n')
  })

  it('are not part of results', async () => {
    const { output, texts } = streams(true)
    expect(await runCommand(['types', '--content-types', 'content-types'], output)).toBe(0)
    expect(texts[0]()).toContain('export interface Content')
    expect(texts[0]()).not.toContain('\u001b')
  })
})

describe('the progress line of long work', () => {
  beforeEach(() => {
    jest.useFakeTimers()
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  it('is shown on a terminal after two seconds, gives way to text, and is removed at the end', async () => {
    const { output, texts } = streams(true)
    let finish: () => void = () => undefined
    const work = inStep(
      output,
      'Changing the tables',
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    jest.advanceTimersByTime(1900)
    expect(texts[1]()).toBe('')
    jest.advanceTimersByTime(600)
    expect(texts[1]()).toBe('\r\u001b[KChanging the tables … 2 s'.repeat(2))
    output.print('a result')
    expect(texts[1]()).toMatch(/2 s\r\u001b\[K$/)
    jest.advanceTimersByTime(500)
    expect(texts[1]()).toMatch(/\u001b\[KChanging the tables … 3 s$/)
    finish()
    await work
    expect(texts[1]()).toMatch(/3 s\r\u001b\[K$/)
    jest.advanceTimersByTime(5000)
    expect(texts[1]()).toMatch(/3 s\r\u001b\[K$/)
    expect(texts[0]()).toBe('a result\n')
  })

  it('is removed if the work fails', async () => {
    const { output, texts } = streams(true)
    const work = inStep(output, 'Reading', () => {
      jest.advanceTimersByTime(2000)
      return Promise.reject(new Error('broken'))
    })
    await expect(work).rejects.toThrow('broken')
    expect(texts[1]()).toBe('\r\u001b[KReading … 2 s\r\u001b[K')
  })

  it('is absent from pipes and files', async () => {
    const { output, texts } = streams(undefined, { FORCE_COLOR: '1' })
    await inStep(output, 'Reading', () => {
      jest.advanceTimersByTime(9000)
      return Promise.resolve()
    })
    expect(texts.map((text) => text())).toEqual(['', ''])
  })
})
