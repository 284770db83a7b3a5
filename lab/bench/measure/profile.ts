import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { benchFolder } from '../data/prepare'
import { say } from '../report'

/** Of the one side that was profiled last. */
export const profileFile = join(benchFolder, 'profile.json')

interface Frame {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly Frame[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const root = join(__dirname, '..', '..', '..')

function placeOf(url: string, line: number): string {
  if (!url.startsWith('file:') && !url.startsWith('/')) return url
  const path = relative(root, url.replace('file://', ''))
  return `${path.replace(/^.*node_modules\//, '')}:${String(line + 1)}`
}

export function forgetProfile(): void {
  rmSync(profileFile, { force: true })
}

const isIdle = ({ callFrame: { functionName } }: Frame): boolean => /^\((idle|program)\)$/.test(functionName)

function nameOf({ callFrame: { functionName, url, lineNumber } }: Frame): string {
  return `${functionName || '(anonymous)'} ${placeOf(url, lineNumber)}`
}

/** Who wrote it: a room of ours, a package or Node; undefined for what the engine does for whoever called it. */
function ownerOf({ callFrame: { functionName, url } }: Frame): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (url.startsWith('node:')) return 'Node'
  const [, own] = /\/lib\/(\w+)[^/]*(?:\/[^/]+)?\.ts$/.exec(url) ?? []
  if (own !== undefined) return `lib/${own}`
  return /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
}

function ownersOf(nodes: readonly Frame[]): ReadonlyMap<number, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const owners = new Map<number, string>()
  const [root] = nodes
  const open: [Frame | undefined, string][] = [[root, 'Node']]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, above] = next
    if (node === undefined) continue
    const owner = ownerOf(node) ?? above
    owners.set(node.id, owner)
    for (const child of node.children ?? []) open.push([byId.get(child), owner])
  }
  return owners
}

const shown = 45

/** Shares of the time in which the process was not idle. */
function sayShares(profile: Profile, nameOfNode: (node: Frame) => string | undefined): void {
  const names = new Map(
    profile.nodes.filter((node) => !isIdle(node)).map((node) => [node.id, nameOfNode(node)]),
  )
  const times = new Map<string, number>()
  profile.samples.forEach((sample, index) => {
    const name = names.get(sample)
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0))
  })
  const total = [...times.values()].reduce((sum, time) => sum + time, 0)
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, shown)
  for (const [name, time] of most) say(`  ${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`)
}

export function sayProfile(what: string): void {
  if (!existsSync(profileFile)) return
  const profile = JSON.parse(readFileSync(profileFile, 'utf8')) as Profile
  say(`\n${what}: where the CPU goes, by function`)
  sayShares(profile, nameOf)
  const owners = ownersOf(profile.nodes)
  say(`\n${what}: whose code it is, with what the engine does for it`)
  sayShares(profile, ({ id }) => owners.get(id))
}
