import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { benchFolder } from '../data/prepare'
import { say } from '../report'

export const profileFolder = join(benchFolder, 'profiles')

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const root = join(__dirname, '..', '..')

function placeOf(url: string, line: number): string {
  if (!url.startsWith('file:') && !url.startsWith('/')) return url
  const path = relative(root, url.replace('file://', ''))
  return `${path.replace(/^.*node_modules\//, '')}:${String(line + 1)}`
}

export function forgetProfiles(): void {
  rmSync(profileFolder, { recursive: true, force: true })
}

const shown = 45

/** Shares of the time in which the process was not idle, by function. */
export function sayProfile(what: string): void {
  const [file] = existsSync(profileFolder) ? readdirSync(profileFolder) : []
  if (file === undefined) return
  const { nodes, samples, timeDeltas } = JSON.parse(
    readFileSync(join(profileFolder, file), 'utf8'),
  ) as Profile
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'} ${placeOf(url, lineNumber)}`,
    ]),
  )
  const times = new Map<string, number>()
  samples.forEach((sample, index) => {
    const name = names.get(sample) ?? ''
    if (name.startsWith('(idle)') || name.startsWith('(program)')) return
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  })
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, shown)
  say(`\n${what}: where the CPU goes`)
  for (const [name, time] of most) say(`  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)
}
