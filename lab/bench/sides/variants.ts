import type { ContentRouterConfig } from '../../../lib'

/** Ours as it is, and with options that change what an answer costs. */
export const variants = {
  ours: {},
  strict: { cache: { freshness: 'strict' } },
  aged: { cache: { freshness: 100 } },
  /** A cache in which nothing fits, so that every request pays for it and none is answered from it. */
  cold: { cache: { freshness: 'strict', maxBytes: 1 } },
  /** Takes its time: how much CPU a request takes is to be seen on a busy machine as well. */
  patient: { timeout: 120_000 },
  /** Answers whatever it costs. */
  unlimited: {
    query: { maxLinks: Infinity, maxConditions: Infinity, arrayLimit: 1000 },
    timeout: 120_000,
  },
  /** Another commit's, of a checkout that lies elsewhere. */
  before: {},
} as const satisfies Readonly<Record<string, Partial<ContentRouterConfig>>>

/** The folder of that checkout, told to the side's process by its environment. */
export const folderBefore = 'BENCH_BEFORE'

export type Variant = keyof typeof variants

export const isOurs = (name: string): name is Variant => Object.hasOwn(variants, name)
