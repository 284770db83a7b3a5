import { custom, flag } from './option'

const isAge = (value: unknown): boolean => typeof value === 'number' && value > 0 && value !== Infinity
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0

const mebibyte = 1024 * 1024

const bounds = (byDefault: number, values: string, meaning: string): ReturnType<typeof custom<number>> =>
  custom(byDefault, isCount, 'is not a whole number from 1 on', { values, meaning })

export const cacheOptions = {
  /**
   * How many answers are kept.
   * @default 10_000
   */
  maxEntries: bounds(10_000, '10,000', 'answers that are kept'),
  /**
   * Bytes of the answers that are kept, with what is needed to find them. The default is 64 MB.
   * @default 67_108_864
   */
  maxBytes: bounds(64 * mebibyte, '64 MB', 'bytes of the answers that are kept'),
  /**
   * `'strict'`: every request asks whether anything was committed; else how many milliseconds old an answer may be.
   * @default 'strict'
   */
  freshness: custom<'strict' | number>(
    'strict',
    (value) => value === 'strict' || isAge(value),
    `is neither 'strict' nor a number of milliseconds`,
    { values: "`'strict'`, ms", meaning: 'how old an answer may be ([more](freshness.md))' },
  ),
  /**
   * Sends what is kept in brotli or gzip to clients that take it, encoded once.
   * @default false
   */
  compress: flag(false, { meaning: 'whether answers are kept and sent compressed' }),
} as const
