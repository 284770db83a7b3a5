import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { kinds } from '../support/memory/texts'
import { aThirdOf } from '../support/sweep'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const typescript = join(root, 'lab', 'bench', 'typescript.cjs')

const inProcess = async (script: string, args: readonly string[], options: readonly string[] = []) => {
  const file = join(root, 'spec', 'support', 'memory', script)
  const { stdout } = await run(process.execPath, [...options, '--require', typescript, file, ...args], {
    cwd: root,
  })
  return stdout
}

describe('the memory of cached plans', () => {
  it('fits into a heap of 192 MB with any number of large queries', async () => {
    const told = await inProcess('many-plans.ts', ['780'], ['--max-old-space-size=192'])
    const held = told.trim().split('\n').map(Number)
    expect(held).toHaveLength(10)
    // Half of them fill what there is room for.
    const [half = NaN, last = NaN] = [held[4], held[9]]
    expect(last).toBeLessThan(1.2 * half)
  }, 180_000)

  const lighter = ['better-sqlite3', 'pg'] as const
  it.each(
    aThirdOf(
      kinds.flatMap(({ name }, index) => [
        { name, client: 'mysql2' },
        { name, client: lighter[index % 2] },
      ]),
    ),
  )(
    'is estimated for $name on $client',
    async ({ name, client = '' }) => {
      const { real, counted } = JSON.parse(await inProcess('weighed-plans.ts', [name, client])) as {
        readonly real: number
        readonly counted: number
      }
      expect(real / counted).toBeLessThan(1.15)
      expect(real / counted).toBeGreaterThan(0.15)
    },
    60_000,
  )
})
