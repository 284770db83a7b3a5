import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { notations } from '../support/deep-queries'

const folder = join(__dirname, '..', '..')

async function outcomes(way: string, ...options: readonly string[]): Promise<unknown> {
  const program = ['--require', './bench/typescript.cjs', 'spec/support/small-stack/serve.ts', way]
  const { stdout } = await promisify(execFile)(process.execPath, [...options, ...program], { cwd: folder })
  return JSON.parse(stdout)
}

/** Kilobytes: half of what Node gives to a process on most machines. */
const half = 492

describe('the deepest queries', () => {
  const answered = Object.fromEntries(
    notations.map(({ name, isSort }) => [name, isSort === true ? 400 : 200]),
  )

  it('are answered with half of the stack that Node gives by itself', async () => {
    expect(await outcomes('plain', `--stack-size=${String(half)}`)).toEqual(answered)
  }, 60_000)

  it('are answered in a thread with a quarter of what Node gives to one', async () => {
    expect(await outcomes('worker')).toEqual(answered)
  }, 60_000)

  it('are answered where the host has used up most of the stack', async () => {
    expect(await outcomes('deep')).toEqual(answered)
  }, 60_000)
})
