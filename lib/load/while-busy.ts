import { setTimeout as pause } from 'node:timers/promises'
import { isBusy } from '../database'
import type { Stop } from './stop'

const longestPause = 50

/**
 * While one connection writes, SQLite lets no other read, except in WAL mode. Its driver would wait by holding the process,
 * so it is told not to wait, and what it then refuses is tried again, at last after `patience` or until it is stopped.
 */
export async function whileBusy<T>(
  read: () => Promise<T>,
  { patience, stop }: { readonly patience: number; readonly stop?: Stop },
): Promise<T> {
  let end: number | undefined
  for (let next = 1; ; next = Math.min(2 * next, longestPause)) {
    try {
      return await read()
    } catch (error) {
      end ??= performance.now() + patience
      if (!isBusy(error) || performance.now() >= end) throw error
    }
    await (stop === undefined ? pause(next) : Promise.race([pause(next), stop.stopped]))
  }
}
