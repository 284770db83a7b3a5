import { setTimeout as pause } from 'node:timers/promises'
import type { ContentChange } from '../../extensions/changes'
import type { ContentRouterConfig } from '../../lib'
import type { Cached } from './cached'
import type { FollowedLibrary } from './feed'

const longest = 30_000

/** A router that tells what changes, and what it told. */
export interface TellingRouter {
  readonly served: Cached
  readonly told: ContentChange[]
  /** Until something was told for which this holds. */
  readonly hears: (isIt: (change: ContentChange) => boolean) => Promise<ContentChange>
  /** What is told of the changes that the work makes, put together. */
  readonly during: (work: () => Promise<unknown>) => Promise<ContentChange>
}

export async function until<T>(find: () => T | undefined, what: string): Promise<T> {
  const start = performance.now()
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    if (performance.now() - start > longest) throw new Error(`${what} within ${String(longest)} ms`)
    await pause(5)
  }
}

export async function serveTelling(
  { serve }: FollowedLibrary,
  options: Partial<ContentRouterConfig> = {},
): Promise<TellingRouter> {
  const told: ContentChange[] = []
  const onChange = (change: ContentChange): void => {
    told.push(change)
  }
  const served = await serve(options, { onChange, cacheTags: true })
  const hears: TellingRouter['hears'] = (isIt) => until(() => told.find(isIt), 'nothing was told')
  await hears(({ types }) => types === '*')
  return {
    served,
    told,
    hears,
    during: async (work) => {
      told.length = 0
      await work()
      return hears(() => true)
    },
  }
}

/** The tags of an answer, which both headers tell. */
export const tagsIn = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string[] =>
  String(headers['surrogate-key']).split(' ')
