import type { ChangeHook, ChangesOptions } from './content-change'
import { custom, isFunction, isTable } from './option'

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
const isShort = (value: unknown): boolean => isCount(value) && Number(value) < 2 ** 31
const fitting: Readonly<Record<string, (value: unknown) => boolean>> = {
  maxListeners: isCount,
  heartbeat: isShort,
}

const fitsChanges = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (isTable(value) &&
    Object.entries(value).every(([name, one]: [string, unknown]) => {
      const isRight = Object.hasOwn(fitting, name) ? fitting[name] : undefined
      return isRight !== undefined && (one === undefined || isRight(one))
    }))

/** Names of headers by which what stands before a router finds the answers that it is to forget. */
const tagHeaders: readonly unknown[] = ['Cache-Tag', 'Surrogate-Key']

/** Who is told of what changes. */
export const changeOptions = {
  /** Is told what each commit changed, to forget what is kept elsewhere. Needs `cache: { feed: true }`. */
  onChange: custom<ChangeHook | undefined>(undefined, isFunction, 'is no function', {
    values: 'none; function',
    meaning: 'told [what each commit changed](freshness.md#telling-others), for purging a CDN',
  }),
  /**
   * Names what an answer that shared caches may keep was read from in the headers `Cache-Tag` and `Surrogate-Key`, or in one
   * of them.
   * @default false
   */
  cacheTags: custom<boolean | 'Cache-Tag' | 'Surrogate-Key'>(
    false,
    (value) => typeof value === 'boolean' || tagHeaders.includes(value),
    `is neither true, false, 'Cache-Tag' nor 'Surrogate-Key'`,
    {
      remedy: 'use true',
      values: "`false`, `true`, `'Cache-Tag'`, `'Surrogate-Key'`",
      meaning: 'public answers name [what they were read from](freshness.md#telling-others) in these headers',
    },
  ),
  /**
   * Whether `GET /changes` tells the asking role what changes, as server-sent events. Needs `cache: { feed: true }`.
   * @default false
   */
  changes: custom<boolean | ChangesOptions>(
    false,
    fitsChanges,
    'is neither true, false nor a table of maxListeners and heartbeat',
    {
      remedy: 'use true',
      values: '`false`, `true`, `{ maxListeners, heartbeat }`',
      meaning: '`GET /changes` tells what changes [as it happens](freshness.md#get-changes)',
    },
  ),
} as const
