import { setTimeout as pause } from 'node:timers/promises'
import { closeSnapshot, type Dialect, type RawConnections } from '../compile'

/** Milliseconds for which it is waited for that a server takes the word: meanwhile the pool has a connection less. */
const patience = 1000

/** Milliseconds after which a server is left alone. The one that is slow to take the word is the one that has too much to do. */
const insistence = 5000

/** Milliseconds after the first try, and at most after any: the first comes too early for what is still on its way. */
const betweenTries = 25
const atMostBetweenTries = 400

/**
 * Tells the server that reads, and no other, to drop what it is doing on this connection, until it does nothing there any
 * more. Nothing else may be sent on the connection afterwards.
 */
export async function cancel(dialect: Dialect, connection: object, raw: RawConnections): Promise<void> {
  const { cancelling } = dialect
  if (cancelling === null) return
  let isIdle = false
  const becomeIdle = (): void => {
    isIdle = true
  }
  // A connection works off its statements in their order: once this one is through, or refused, all before it are.
  const idle = dialect.run(connection, closeSnapshot, []).then(becomeIdle, becomeIdle)
  const outOfPatience = pause(patience, undefined, { ref: false })
  const trying = async (): Promise<void> => {
    const until = performance.now() + insistence
    for (let wait = betweenTries; performance.now() < until; wait = Math.min(2 * wait, atMostBetweenTries)) {
      // What refuses a connection now may let in the next.
      await cancelling.request(connection, raw, until).catch(() => undefined)
      await Promise.race([idle, pause(wait, undefined, { ref: false })])
      if (isIdle) return
    }
  }
  await Promise.race([trying(), outOfPatience])
}
