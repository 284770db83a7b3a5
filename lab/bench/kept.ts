// `--kept`: what a process holds on to of requests that are over, each tenth of 20,000 large texts, on SQLite in memory.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { say } from './report'

const texts = 20_000
const script = join(__dirname, '..', '..', 'spec', 'support', 'memory', 'many-plans.ts')

export async function measureKept(): Promise<void> {
  const args = ['--require', join(__dirname, 'typescript.cjs'), script, String(texts)]
  const asking = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(asking, 'exit') as Promise<[code: number | null]>
  let asked = 0
  for await (const held of createInterface(asking.stdout)) {
    asked += texts / 10
    say(`${String(asked).padStart(6)} texts: ${(Number(held) / 1e6).toFixed(1)} MB`)
  }
  const [code] = await ended
  if (code !== 0) throw new Error('the process did not live to the end')
}
