import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { say } from './report'

/** Into a folder of its own: the package itself needs none of it. */
export function installIn(folder: string, wanted: readonly string[]): void {
  const [first = ''] = wanted
  if (existsSync(join(folder, 'node_modules', first.replace(/(?<=.)@.*$/, '')))) return
  say(`Installing ${first} in ${folder}…`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench-only', private: true }))
  const options = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...wanted]
  const { status } = spawnSync('npm', options, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${first} could not be installed in ${folder}`)
}
