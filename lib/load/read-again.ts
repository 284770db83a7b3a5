import { setTimeout as pause } from 'node:timers/promises'
import { type Database, isCutOff, isLost } from '../database'

/** A balancer may lead to the node that is cut off more than once, and the pool hold several connections to it. */
const triesWhenCutOff = 5

/**
 * What broke one connection has mostly broken the others in the pool, which learns of it from their sockets a moment later:
 * another try at once may take a second dead one.
 */
const untilOthersAreKnown = 10

/** A file that is locked has kept everybody waiting already. */
export const isLostOn =
  ({ dialect }: Database) =>
  (error: unknown): boolean =>
    dialect !== 'sqlite' && isLost(error)

/** Reads change nothing, so what was lost with its connection is read once more on another. */
export async function readAgain<T>(
  database: Database,
  read: (isAgain: boolean) => Promise<T>,
  isWorthIt = isLostOn(database),
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(tries > 1)
    } catch (error) {
      if (!isWorthIt(error) || tries >= (isCutOff(error) ? triesWhenCutOff : 2)) throw error
      if (isLost(error)) await pause(untilOthersAreKnown)
    }
  }
}
