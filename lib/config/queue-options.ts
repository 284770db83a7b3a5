import { custom } from './option'

export const queueOptions = {
  /** How many answers are read at once. Without it: as many as the pool has connections. */
  maxRunning: custom<number | undefined>(
    undefined,
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 1),
    'is not a whole number from 1 on',
    { values: 'as many as the pool has connections', meaning: 'answers that are read at once' },
  ),
  /**
   * How many requests wait for their turn; those beyond are a 503 at once. Without it: 100 and, from the moment that
   * one was refused until none was for ten seconds, as many as run.
   */
  maxWaiting: custom<number | undefined>(
    undefined,
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) >= 0),
    'is not a whole number from 0 on',
    {
      values: '100 in a burst, few under overload',
      meaning: 'requests that wait for that; those beyond are a 503 at once ([more](operations.md#load))',
    },
  ),
} as const
