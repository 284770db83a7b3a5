import { type Database, isCutOff, isLost } from '../database'

/** A balancer may lead to the node that is cut off more than once, and the pool hold several connections to it. */
const mostTries = 5

/** Reads change nothing, so what was lost with its connection is read once more on another. */
export async function readAgain<T>(
  read: (isAgain: boolean) => Promise<T>,
  isWorthIt: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read(tries > 1)
    } catch (error) {
      if (!isWorthIt(error) || tries >= (isCutOff(error) ? mostTries : 2)) throw error
    }
  }
}

/** A file that is locked has kept everybody waiting already. */
export const isLostOn =
  ({ dialect }: Database) =>
  (error: unknown): boolean =>
    dialect !== 'sqlite' && isLost(error)
