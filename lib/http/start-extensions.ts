import { ConfigError, type Fault } from '../errors'
import type { Follower } from '../freshness'
import type { BodySource, Core, RunningExtension, SharedHeaders } from './extension'

/** All extensions of one router, as one. */
export interface RunningExtensions {
  readonly follower: Follower | null
  readonly sharedHeaders: ((source: BodySource) => SharedHeaders) | null
  readonly checkDatabase: () => Promise<readonly Fault[]>
  readonly close: () => Promise<void>
}

function followerOf(running: readonly RunningExtension[]): Follower | null {
  const [follower = null, another] = running.flatMap((one) => one.follower ?? [])
  if (another === undefined) return follower
  throw new ConfigError([{ where: 'extensions', problem: 'two of them follow the database' }])
}

function sharedHeadersOf(running: readonly RunningExtension[]): RunningExtensions['sharedHeaders'] {
  const [first, ...others] = running.flatMap(({ sharedHeaders }) => sharedHeaders ?? [])
  if (first === undefined) return null
  if (others.length === 0) return first
  return (source) =>
    Object.assign({}, first(source), ...others.map((headersOf) => headersOf(source))) as SharedHeaders
}

export function startExtensions(core: Core): RunningExtensions {
  const running = core.settings.extensions.flatMap(({ start }) => start?.(core) ?? [])
  return {
    follower: followerOf(running),
    sharedHeaders: sharedHeadersOf(running),
    checkDatabase: async () => {
      const faults = await Promise.all(running.flatMap(({ checkDatabase }) => checkDatabase?.() ?? []))
      return faults.flat()
    },
    close: async () => {
      await Promise.all(running.flatMap(({ close }) => close?.() ?? []))
    },
  }
}
