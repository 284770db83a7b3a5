import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const typescript = join(root, 'bench', 'typescript.cjs')
const script = join(root, 'spec', 'support', 'memory', 'many-plans.ts')

describe('a process with a heap of 160 MB', () => {
  it('outlives any number of large queries that differ', async () => {
    const options = ['--max-old-space-size=160', '--require', typescript, script]
    const { stdout } = await run(process.execPath, options, { cwd: root })
    expect(stdout).toBe('all answered\n')
  }, 120_000)
})
